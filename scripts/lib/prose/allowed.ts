/** A place where a rule does not hold. */
export interface Exception {
	/** The file's path, or a folder's with a slash at the end. */
	readonly path: string;
	/** The rule that does not hold there, as findings name it. */
	readonly rule: string;
	/** A part of the sentence that it is about; without it the whole file is meant. */
	readonly text?: string;
	readonly reason: string;
}

/** Every exception. The check fails if one is no longer needed. */
export const exceptions: readonly Exception[] = [
	{
		path: 'sandbox/ui/dashboard/ResponseShapes.tsx',
		rule: 'refuse',
		reason: 'the values of settings, which name response shapes',
	},
	{
		path: 'test/nodes/errors.golden.md',
		rule: 'semicolon',
		text: 'self-signed certificate; if the root CA',
		reason: 'the words of Node.js, which the message quotes',
	},
	{
		path: 'test/nodes/errors.golden.md',
		rule: 'long sentence',
		text: 'self-signed certificate; if the root CA',
		reason: 'the words of Node.js, which the message quotes',
	},
	{
		path: 'scripts/lib/operationFiles.ts',
		rule: 'colons',
		reason: 'templates of source code',
	},
	{
		path: 'scripts/lib/operationFiles.ts',
		rule: 'semicolon',
		reason: 'templates of source code',
	},
	{
		path: 'test/zapier/errors.golden.md',
		rule: 'semicolon',
		text: 'self-signed certificate; if the root CA',
		reason: 'the words of Node.js, which the message quotes',
	},
	{
		path: 'test/zapier/errors.golden.md',
		rule: 'long sentence',
		text: 'self-signed certificate; if the root CA',
		reason: 'the words of Node.js, which the message quotes',
	},
	{
		path: 'test/zapier/errors.golden.md',
		rule: 'long sentence',
		text: 'to send now',
		reason: 'the app joins the label, the problem and the next step',
	},
	{
		path: 'test/sandbox/errors.golden.md',
		rule: 'semicolon',
		reason: 'an error lists each invalid field of a request',
	},
	{
		path: 'test/sandbox/errors.golden.md',
		rule: 'long sentence',
		reason: 'an error lists each invalid field of a request',
	},
	{
		path: 'test/sandbox/errors.golden.md',
		rule: 'colons',
		reason: 'an error lists each invalid field of a request',
	},
	{
		path: 'test/shared/errors.golden.md',
		rule: 'semicolon',
		reason: 'a developer error lists each invalid option, and other texts lack their label',
	},
	{
		path: 'test/shared/errors.golden.md',
		rule: 'long sentence',
		reason: 'a developer error lists each invalid option, and other texts lack their label',
	},
	{
		path: 'test/shared/errors.golden.md',
		rule: 'colons',
		reason: 'a developer error lists each invalid option, and other texts lack their label',
	},
	{
		path: 'test/nodes/triggers.golden.md',
		rule: 'long sentence',
		reason: 'a log line begins with the name of the trigger',
	},
	{
		path: 'test/nodes/triggers.golden.md',
		rule: 'colons',
		reason: 'a log line begins with the name of the trigger',
	},
	{
		path: 'test/nodes/errors.golden.md',
		rule: 'long sentence',
		text: '(item 1 of 2)',
		reason: 'the node adds the value and the item to the sentence',
	},
];
