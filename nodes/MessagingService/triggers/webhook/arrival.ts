import type { IDataObject } from 'n8n-workflow';
import type { EventItem } from '../../../../shared/index';

/** A request that is no event. Users may let it start the workflow. */
export interface UnrecognizedItem {
	readonly event: 'unrecognized';
}

/** An event that arrived, at the trigger's URL or through the relay. */
export interface Arrival<Item extends EventItem | UnrecognizedItem = EventItem | UnrecognizedItem> {
	readonly item: Item;
	/** Fields that the output has after those of the item. */
	readonly details: IDataObject;
	/** Equal for the same event of a repeated request. Events of the relay have an ID instead. */
	readonly request?: string;
	/** Only from the relay, which has deduplicated and ordered the events. */
	readonly relayed?: {
		/** Equal for every attempt to deliver the event. */
		readonly id: string;
		/** The number of the replay; undefined for the first delivery. */
		readonly replay: string | undefined;
	};
}

/** The output of an event. */
export function outputOf({ item, details }: Arrival): IDataObject {
	return { ...item, ...details };
}
