// Owns the words for ways of drawing a series; kept apart so that naming them does not load the library.

/** Ways to draw a series. */
export const chartTypes = ['bar', 'line', 'area', 'pie'] as const

/** A word of {@link chartTypes}. */
export type ChartType = (typeof chartTypes)[number]
