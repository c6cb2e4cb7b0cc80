import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { textParameter } from '../../host/parameters';

/** Identifies a top-up. */
export interface TopUpReference {
	readonly reference: string;
	/** The status from the return URL, for the output. It comes from a browser, so it isn't trusted. */
	readonly returned: { readonly returned_status?: string };
}

/** The Reference field of a top-up. */
export function topUpReferenceField(displayOptions: INodeProperties['displayOptions']): INodeProperties {
	return {
		displayName: 'Reference',
		name: 'reference',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.reference }}',
		description: "The reference that Create Top-Up returned. You can also map the return URL's address, or its query.",
		displayOptions,
	};
}

/** Reads the Reference field: a reference, or the return URL's address or query (docs/api.md#create-a-top-up). */
export function topUpReference(context: IExecuteFunctions, itemIndex: number): TopUpReference {
	const value: unknown = context.getNodeParameter('reference', itemIndex, '');
	if (typeof value === 'object' && value !== null) {
		const { reference, status } = value as { reference?: unknown; status?: unknown };
		return topUp(typeof reference === 'string' ? reference : '', typeof status === 'string' ? status : null);
	}
	return readReference(textParameter(context, 'reference', itemIndex));
}

/** Browsers and servers reject far shorter addresses. The time to parse a query grows with the square of its length. */
const LONGEST_ADDRESS = 10_000;

/**
 * Reads a reference from text: the reference itself, or the return URL's address or query.
 * @param text trimmed
 */
export function readReference(text: string): TopUpReference {
	if (text.length > LONGEST_ADDRESS) return { reference: text, returned: {} };
	const [address = ''] = text.split('#', 1);
	const query = new URLSearchParams(address.slice(address.indexOf('?') + 1));
	const reference = query.get('reference');
	return reference === null ? { reference: text, returned: {} } : topUp(reference, query.get('status'));
}

function topUp(reference: string, status: string | null): TopUpReference {
	return { reference: reference.trim(), returned: status ? { returned_status: status.trim() } : {} };
}
