/** The clocks of several processes may differ by this, in milliseconds. A larger step back is a clock that was set. */
export const CLOCK_TOLERANCE_MS = 60_000;
