/**
 * @param {string} path
 * @param {object} [extra] other conditions
 */
const from = (path, extra = {}) => ({ path, ...extra });

/**
 * The import rules of docs/architecture.md.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
module.exports = {
	forbidden: [
		{ name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
		{ name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
		{
			name: 'zod-v4-only',
			comment: 'n8n supplies zod 3.25.76: use only its v4 entry',
			severity: 'error',
			from: {},
			to: { path: 'node_modules/zod/(?!v4/)' },
		},
		{
			name: 'shared-knows-no-host',
			severity: 'error',
			from: from('^shared/', { pathNot: '^shared/transports/' }),
			to: { pathNot: ['^shared/', 'node_modules/(zod/v4|libphonenumber-js|ipaddr\\.js)/'] },
		},
		{
			name: 'contract-knows-no-client',
			severity: 'error',
			from: from('^shared/contract/'),
			to: { path: '^shared/(client|transport)' },
		},
		{
			name: 'surfaces-stay-apart',
			severity: 'error',
			from: from('^(nodes|credentials|zapier|sandbox)/'),
			to: { path: '^(nodes|credentials|zapier|sandbox)/', pathNot: '^$1/' },
		},
		{
			name: 'surfaces-import-shared-index-only',
			severity: 'error',
			from: from('^(nodes|credentials|zapier)/'),
			to: { path: '^shared/', pathNot: '^shared/index\\.ts$' },
		},
		{
			name: 'hosts-bring-their-own-transport',
			severity: 'error',
			from: from('^(nodes|zapier)/'),
			to: { path: '^shared/transports/', reachable: true },
		},
		{
			name: 'sandbox-shares-no-client-code',
			comment: 'A bug in shared code would be on both sides, and no test would see it',
			severity: 'error',
			from: from('^sandbox/'),
			to: { path: '^shared/(client|index)', reachable: true },
		},
		{
			name: 'runtime-knows-no-operation',
			severity: 'error',
			from: from('^nodes/[^/]+/runtime/'),
			to: { path: '^nodes/[^/]+/(operations|pickers)' },
		},
		{
			name: 'store-knows-no-server',
			severity: 'error',
			from: from('^sandbox/store/'),
			to: { path: '^sandbox/(server|http|handlers|control|ui|gateway)' },
		},
		{
			name: 'commands-start-without-packages',
			comment: 'They install the packages',
			severity: 'error',
			from: from('^scripts/((start|sandbox|test.*|sum-reports)\\.mjs|lib/.*\\.mjs)$'),
			to: { path: 'node_modules' },
		},
		{ name: 'nothing-imports-tests', severity: 'error', from: from('', { pathNot: '^test/' }), to: { path: '^test/' } },
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '(^|/)(dist|\\.local)/' },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.check.json' },
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'default', 'types'],
		},
	},
};
