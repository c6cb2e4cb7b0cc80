import { Badge, type Tone } from '../../../ui/Badge';

const TONES: Readonly<Record<Exclude<Tone, 'plain'>, readonly string[]>> = {
	good: ['delivered', 'approved', 'completed', 'opted in', 'opt_in', 'in use'],
	bad: ['failed', 'rejected', 'given_up', 'revoked', 'opt_out', 'expired'],
	busy: ['queued', 'submitted', 'sent', 'pending', 'waiting', 'scheduled'],
};
const LABELS: Readonly<Record<string, string>> = { topup: 'top-up' };
const CHANNELS: Readonly<Record<string, string>> = {
	sms: 'SMS',
	whatsapp: 'WhatsApp',
	email: 'Email',
	voice: 'Voice call',
	ussd: 'USSD',
};

/** A badge for a status of the API, in its color. */
export function StatusBadge({
	status,
	label = formatWord(status),
}: {
	readonly status: string;
	readonly label?: string;
}) {
	return <Badge tone={toneOf(status)}>{label}</Badge>;
}

function toneOf(status: string): Tone {
	if (TONES.good.includes(status)) return 'good';
	if (TONES.bad.includes(status)) return 'bad';
	return TONES.busy.includes(status) ? 'busy' : 'plain';
}

/** Formats a word of the API for display: `given_up` as `given up`, `topup` as `top-up`. */
export function formatWord(word: string): string {
	return LABELS[word] ?? word.replaceAll('_', ' ');
}

/** Formats a text for display. One that shows nothing could not be seen or opened. */
export function textOf(text: string): string {
	return text.trim() === '' ? '(blank)' : text;
}

/** Formats a channel for display. */
export function channelName(channel: string): string {
	return CHANNELS[channel] ?? channel;
}
