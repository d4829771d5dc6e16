/* The shortest decimal digits of a double.
 *
 * Free-format printing as in Burger and Dybvig, "Printing floating-point numbers quickly and
 * accurately": the value, and the distances to the middles between it and its neighbours, are exact
 * fractions over one large int; digits come out until what is left is nearer to the value than the
 * middles are. */
#ifndef NESL_DECIMAL_H
#define NESL_DECIMAL_H

#endif
