import { formatWord } from './format.js';
import { make } from './make.js';

const TONES = {
	good: ['delivered', 'approved', 'completed', 'opted in', 'opt_in', 'in use'],
	bad: ['failed', 'rejected', 'given_up', 'revoked', 'opt_out', 'expired'],
	busy: ['queued', 'submitted', 'sent', 'pending', 'waiting', 'scheduled'],
};

/** Makes a status as a small label; the word says it, the colour helps. */
export function badge(status, words = formatWord(status)) {
	const [tone = 'plain'] = Object.entries(TONES).find(([, statuses]) => statuses.includes(status)) ?? [];
	return make('span', { class: 'badge', 'data-tone': tone }, words);
}

const CHANNELS = { sms: 'SMS', whatsapp: 'WhatsApp', email: 'Email', voice: 'Voice call', ussd: 'USSD' };

/** Writes a channel for people. */
export function channelName(channel) {
	return CHANNELS[channel] ?? channel;
}
