import { defineApp, version as platformVersion } from 'zapier-platform-core';
import { authentication } from './authentication';
import { checkVerificationCode } from './creates/checkVerificationCode';
import { createContact } from './creates/createContact';
import { makeVoiceCall } from './creates/makeVoiceCall';
import { sendBulkSms } from './creates/sendBulkSms';
import { sendEmail } from './creates/sendEmail';
import { sendSms } from './creates/sendSms';
import { sendVerificationCode } from './creates/sendVerificationCode';
import { sendWhatsappMessage } from './creates/sendWhatsappMessage';
import { version } from './package.json';
import { privateCreates, privateSearches } from './privateCreates';
import { addKey } from './runtime/apiKey';
import { estimateSmsCost } from './searches/estimateSmsCost';
import { findContact } from './searches/findContact';
import { findMessage } from './searches/findMessage';
import { findWalletBalance } from './searches/findWalletBalance';
import { lookUpPhoneNumber } from './searches/lookUpPhoneNumber';
import { contacts } from './triggers/hidden/contacts';
import { senderIds } from './triggers/hidden/senderIds';
import { lowWalletBalance } from './triggers/lowWalletBalance';
import { messageStatusUpdated } from './triggers/messageStatusUpdated';
import { newContact } from './triggers/newContact';
import { newInboundSms } from './triggers/newInboundSms';
import { newInboundWhatsappMessage } from './triggers/newInboundWhatsappMessage';
import { newWalletTransaction } from './triggers/newWalletTransaction';

/** The app definition. Users' Zaps store the keys of steps and fields, so a published key never changes. */
export const app = defineApp({
	version,
	platformVersion,
	authentication,
	beforeRequest: addKey,
	triggers: {
		[newInboundSms.key]: newInboundSms,
		[messageStatusUpdated.key]: messageStatusUpdated,
		[newInboundWhatsappMessage.key]: newInboundWhatsappMessage,
		[lowWalletBalance.key]: lowWalletBalance,
		[newWalletTransaction.key]: newWalletTransaction,
		[newContact.key]: newContact,
		[senderIds.key]: senderIds,
		[contacts.key]: contacts,
	},
	creates: {
		[sendSms.key]: sendSms,
		[sendBulkSms.key]: sendBulkSms,
		[sendWhatsappMessage.key]: sendWhatsappMessage,
		[sendEmail.key]: sendEmail,
		[makeVoiceCall.key]: makeVoiceCall,
		[sendVerificationCode.key]: sendVerificationCode,
		[checkVerificationCode.key]: checkVerificationCode,
		[createContact.key]: createContact,
		...privateCreates,
	},
	searches: {
		[findMessage.key]: findMessage,
		[lookUpPhoneNumber.key]: lookUpPhoneNumber,
		[findWalletBalance.key]: findWalletBalance,
		[findContact.key]: findContact,
		[estimateSmsCost.key]: estimateSmsCost,
		...privateSearches,
	},
	searchOrCreates: {
		[findContact.key]: {
			key: findContact.key,
			display: {
				label: 'Find or Create Contact',
				description: 'Finds a contact by phone number or name, or creates one.',
			},
			search: findContact.key,
			create: createContact.key,
		},
	},
	// The app itself decides which values are empty.
	flags: { cleanInputData: false },
});
