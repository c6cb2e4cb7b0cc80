import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const hostGlobals = [
	'setTimeout',
	'clearTimeout',
	'setInterval',
	'setImmediate',
	'process',
	'globalThis',
	'global',
	'fetch',
];

// All files that n8n's rules (eslint.config.mjs) do not cover.
export default defineConfig(
	globalIgnores(['**/node_modules/', '**/dist/', '.local/', 'nodes/', 'credentials/']),
	{
		files: ['**/*.ts', '**/*.tsx', '**/*.mts', '**/*.mjs'],
		extends: [js.configs.recommended, tseslint.configs.strictTypeChecked],
		languageOptions: { parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname } },
		rules: {
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			// The service counts code points (docs/api.md#limits).
			'@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
			'@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
		},
	},
	{
		files: ['ui/**', 'sandbox/ui/**', 'relay/ui/**'],
		extends: [reactHooks.configs['recommended-latest']],
	},
	{
		files: ['**/*.mjs'],
		rules: {
			// The compiler finds undefined names.
			'no-undef': 'off',
			// JSON of n8n and npm, and errors of Node, have no types here.
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
			'@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
		},
	},
	{
		files: ['**/*.js', '**/*.cjs'],
		extends: [js.configs.recommended],
		languageOptions: {
			globals: { module: 'readonly', require: 'readonly', process: 'readonly', __dirname: 'readonly' },
		},
	},
	{
		files: ['test/**/*.ts'],
		ignores: ['test/support/random.ts'],
		rules: {
			'no-restricted-imports': [
				'error',
				{ name: 'fast-check', message: 'Import fc from test/support/random, which sets the seed.' },
			],
		},
	},
	{
		// The client does not depend on a host: it gets time, network and environment only through its transport.
		files: ['shared/**/*.ts'],
		ignores: ['shared/transports/**'],
		rules: { 'no-restricted-globals': ['error', ...hostGlobals], 'no-console': 'error' },
	},
);
