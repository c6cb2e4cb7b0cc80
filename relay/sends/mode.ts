/** Sandbox keys and live keys of the service are kept apart. */
export type Mode = 'live' | 'sandbox';
