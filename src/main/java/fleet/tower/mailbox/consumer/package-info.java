/** Workers that live on one mailbox: they take its messages, do what these ask for, and go when they are told. */
@NullMarked
package fleet.tower.mailbox.consumer;

import org.jspecify.annotations.NullMarked;
