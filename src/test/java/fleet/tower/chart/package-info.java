/** Tests of the Helm chart, rendered by Helm itself and read as Kubernetes reads it. */
@NullMarked
package fleet.tower.chart;

import org.jspecify.annotations.NullMarked;
