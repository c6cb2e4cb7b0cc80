import { parseJson } from '../../shared';
import { examine, type Examined } from '../examine';
import type { Exchange } from '../exchange';
import type { NameMask } from '../publicNames';
import { isJsonObject } from '../structure';
import type { PaidChannel } from './channels';
import type { PaidProbe, PaidProbes } from './probePaid';

/** The paid request of one channel, without its values. */
export interface ExaminedChannel extends Pick<PaidProbe, 'result' | 'why'> {
	readonly channel: PaidChannel;
	readonly send?: Examined;
	readonly statuses: readonly Examined[];
}

/** All paid requests, without their values. */
export interface ExaminedPaid {
	readonly channels: readonly ExaminedChannel[];
	readonly wrongCode?: Examined;
	/** How far the service's clock is ahead of UTC, in minutes. Missing if no timestamp shows it. */
	readonly zoneMinutes?: number;
}

/** Examines all paid requests. */
export async function examinePaid({ channels, wrongCode }: PaidProbes, mask: NameMask): Promise<ExaminedPaid> {
	const examined: ExaminedChannel[] = [];
	for (const { channel, result, why, send, statuses } of channels) {
		const read: Examined[] = [];
		for (const status of statuses) read.push(await examine(status, mask));
		examined.push({ channel, result, why, send: send && (await examine(send, mask)), statuses: read });
	}
	const zones = channels.map(({ statuses: [first], at }) => first && zoneOf(first, at));
	return {
		channels: examined,
		wrongCode: wrongCode && (await examine(wrongCode, mask)),
		zoneMinutes: zones.find((zone) => zone !== undefined),
	};
}

const MINUTE = 60_000;

/** Timestamps without a zone that are about now, apart from a zone of whole quarters of an hour. */
function zoneOf({ response }: Exchange, at: number): number | undefined {
	for (const text of textsIn(parseJson(response?.body)?.value)) {
		if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) continue;
		const ahead = Date.parse(`${text.replace(' ', 'T')}Z`) - at;
		const zone = Math.round(ahead / (15 * MINUTE)) * 15;
		if (Math.abs(zone) <= 14 * 60 && Math.abs(ahead - zone * MINUTE) < 3 * MINUTE) return zone === 0 ? 0 : zone;
	}
	return undefined;
}

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (Array.isArray(value)) return value.flatMap(textsIn);
	return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
