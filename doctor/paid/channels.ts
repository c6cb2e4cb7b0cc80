import { contract, type Endpoint } from '../../shared';

/** What `--channels` can name: each is one request that costs something. */
export const paidChannels = ['sms', 'bulk', 'verification', 'lookup', 'whatsapp', 'email', 'voice'] as const;

/** One of {@link paidChannels}. */
export type PaidChannel = (typeof paidChannels)[number];

/** The endpoint of each channel. */
export const channelEndpoints: Readonly<Record<PaidChannel, Endpoint>> = {
	sms: contract.sms.send,
	bulk: contract.sms.sendBulk,
	verification: contract.verification.start,
	lookup: contract.lookup.phone,
	whatsapp: contract.whatsapp.send,
	email: contract.email.send,
	voice: contract.voice.send,
};
