import { formatWord } from './format.js';
import { make } from './make.js';

const TONES = {
	good: ['delivered', 'approved', 'completed', 'opted in', 'opt_in', 'in use'],
	bad: ['failed', 'rejected', 'given_up', 'revoked', 'opt_out', 'expired'],
	busy: ['queued', 'submitted', 'sent', 'pending', 'waiting', 'scheduled'],
};

/** Makes a small label for a status. The color repeats the word. */
export function badge(status, label = formatWord(status)) {
	const [tone = 'plain'] = Object.entries(TONES).find(([, statuses]) => statuses.includes(status)) ?? [];
	return make('span', { class: 'badge', 'data-tone': tone }, label);
}

const CHANNELS = { sms: 'SMS', whatsapp: 'WhatsApp', email: 'Email', voice: 'Voice call', ussd: 'USSD' };

/** Formats a channel for display. */
export function channelName(channel) {
	return CHANNELS[channel] ?? channel;
}
