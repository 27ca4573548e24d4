/** Tests of the OpenAPI document: every documented call is made, and every answer is compared with the document. */
@NullMarked
package fleet.tower.openapi;

import org.jspecify.annotations.NullMarked;
