import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EVENT_TYPES } from './events/event';

/** Counts what this process does. Several processes are added up by Prometheus. Nothing private becomes a label. */
export interface Metrics {
	/** An event was stored, or was received before. */
	received(type: string, isDuplicate: boolean): void;
	/** A request to a receiver ended. */
	attempted(result: { readonly ok: boolean; readonly status: number | null }): void;
	/** A delivery ended. */
	settled(state: 'delivered' | 'failed'): void;
	/** A request to the ingest URL was answered after this time, in seconds. */
	ingested(seconds: number): void;
	/** A call to the service that costs or changes something was forwarded, or could not leave. */
	sent(outcome: 'accepted' | 'rejected' | 'unknown'): void;
	/** A send was not forwarded, because an earlier one has its idempotency key. */
	replayed(outcome: 'accepted' | 'unknown'): void;
	/**
	 * Writes all metrics as Prometheus text.
	 * @param pending deliveries that wait, of all processes
	 */
	text(pending: number): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** From 5 ms, which an insert takes, to 10 s, which a request waits for the database. */
const INGEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the metrics of one relay. */
export function createMetrics(): Metrics {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	const registers = [registry];
	const types = ['type'] as const;
	const events = new Counter({
		name: 'relay_events_total',
		help: 'Events stored by this process',
		labelNames: types,
		registers,
	});
	const duplicates = new Counter({
		name: 'relay_duplicates_total',
		help: 'Events that this process had received before',
		labelNames: types,
		registers,
	});
	const deliveries = new Counter({
		name: 'relay_deliveries_total',
		help: 'Deliveries that ended in this process',
		labelNames: ['state'],
		registers,
	});
	const attempts = new Counter({
		name: 'relay_attempts_total',
		help: 'Requests to receivers by this process: delivered, no_response, or the class of the status',
		labelNames: ['result'],
		registers,
	});
	const sends = new Counter({
		name: 'relay_sends_total',
		help: 'Calls to the service that cost or change something, by this process',
		labelNames: ['outcome'],
		registers,
	});
	const replays = new Counter({
		name: 'relay_send_replays_total',
		help: 'Sends that this process did not forward, because an earlier one has the idempotency key',
		labelNames: ['outcome'],
		registers,
	});
	const waiting = new Gauge({
		name: 'relay_deliveries_pending',
		help: 'Deliveries that wait, of all processes',
		registers,
	});
	const ingest = new Histogram({
		name: 'relay_ingest_seconds',
		help: 'Time until a request to the ingest URL was answered',
		buckets: INGEST_SECONDS,
		registers,
	});
	// A counter that starts with its first event has no rate for it.
	for (const type of EVENT_TYPES) for (const counter of [events, duplicates]) counter.inc({ type }, 0);
	for (const state of ['delivered', 'failed']) deliveries.inc({ state }, 0);
	for (const outcome of ['accepted', 'rejected', 'unknown']) sends.inc({ outcome }, 0);
	for (const outcome of ['accepted', 'unknown']) replays.inc({ outcome }, 0);
	return {
		received: (type, isDuplicate) => (isDuplicate ? duplicates : events).inc({ type }),
		attempted: ({ ok, status }) => {
			const failure = status === null ? 'no_response' : `${Math.floor(status / 100)}xx`;
			attempts.inc({ result: ok ? 'delivered' : failure });
		},
		settled: (state) => deliveries.inc({ state }),
		ingested: (seconds) => ingest.observe(seconds),
		sent: (outcome) => sends.inc({ outcome }),
		replayed: (outcome) => replays.inc({ outcome }),
		async text(pending) {
			waiting.set(pending);
			return { contentType: registry.contentType, body: await registry.metrics() };
		},
	};
}
