/** Callers authenticated by an OpenID Connect issuer. */
@NullMarked
package fleet.tower.access.oidc;

import org.jspecify.annotations.NullMarked;
