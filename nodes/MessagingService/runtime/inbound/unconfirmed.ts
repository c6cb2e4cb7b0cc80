import type { IWebhookResponseData } from 'n8n-workflow';
import type { Failed } from '../triggerClient';
import { logProblem, startAnswered, type Arrival } from './arrival';
import type { EventItem } from './eventItem';

/** Starts the workflow with what nobody could confirm: it has none of the keys that a workflow acts on. */
export function unconfirmed(arrival: Arrival, item: EventItem, { problem, loggable }: Failed): IWebhookResponseData {
	logProblem(arrival.context, `the service could not be asked about a ${item.event}: ${loggable}`);
	return startAnswered(arrival, { event: 'confirmation.failed', error: problem, payload: { ...item } });
}
