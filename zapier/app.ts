import { defineApp, version as platformVersion } from 'zapier-platform-core';
import { authentication } from './authentication';
import { sendSms } from './creates/sendSms';
import { version } from './package.json';
import { findMessage } from './searches/findMessage';
import { senderIds } from './triggers/hidden/senderIds';

/** The app, as Zapier reads it. Keys of steps and fields are in people's Zaps: once published they stay. */
export const app = defineApp({
	version,
	platformVersion,
	authentication,
	triggers: { [senderIds.key]: senderIds },
	creates: { [sendSms.key]: sendSms },
	searches: { [findMessage.key]: findMessage },
	// Empty optional fields reach us as they are, instead of a platform's idea of what is empty.
	flags: { cleanInputData: false },
});
