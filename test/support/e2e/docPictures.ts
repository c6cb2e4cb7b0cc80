/** Each picture of docs/images with the test that takes it. With UPDATE_SCREENSHOTS=1 that test replaces the picture. */
export const docPictures = {
	'editor.png': 'test/e2e/reply-to-inbound-sms.test.ts',
	'hours.gif': 'test/e2e/reply-to-inbound-sms.test.ts',
	'phone.png': 'test/e2e/reply-to-inbound-sms.test.ts',
	'relay-event.png': 'test/relay/page.test.ts',
	'relay-sends.png': 'test/relay/sends/page.test.ts',
} as const;

/**
 * Checks whether a picture is one of docs/images. Tests also take pictures that only show a failure.
 *
 * @param file its name with the ending
 */
export const isDocPicture = (file: string): boolean => file in docPictures;
