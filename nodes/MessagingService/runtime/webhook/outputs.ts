import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { TriggerSettings } from './triggerSettings';

/** Puts an item on the output of its keyword. The node's expression for `outputs` has the same order. */
export function toOutputs(
	item: IDataObject,
	{ routeByKeyword, customKeywords }: Pick<TriggerSettings, 'routeByKeyword' | 'customKeywords'>,
): INodeExecutionData[][] {
	const items = [{ json: item }];
	if (!routeByKeyword) return [items];
	const keywords = ['stop', 'start', 'help', ...customKeywords];
	const found = keywords.findIndex((word) => word === item.keyword);
	const index = found < 0 ? keywords.length : found;
	return [...keywords, 'other'].map((_, output) => (output === index ? items : []));
}
