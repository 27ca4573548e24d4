/** Callers whom another issuer vouches for. */
@NullMarked
package fleet.tower.access.oidc;

import org.jspecify.annotations.NullMarked;
