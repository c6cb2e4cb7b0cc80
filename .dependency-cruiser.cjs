/**
 * @param {string} path
 * @param {object} [extra] other conditions
 */
const from = (path, extra = {}) => ({ path, ...extra });

/** The files of `scripts` that run before packages are installed. */
const bootstrap = '^scripts/lib/(bootstrap/|(paths|setup-error)\\.mjs$)';

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
			to: { path: '^shared/(client|reading|transport)' },
		},
		{
			name: 'reading-knows-no-client',
			severity: 'error',
			from: from('^shared/reading/'),
			to: { path: '^shared/client/' },
		},
		{
			name: 'surfaces-stay-apart',
			severity: 'error',
			from: from('^(nodes|credentials|zapier|sandbox|relay|doctor)/'),
			to: { path: '^(nodes|credentials|zapier|sandbox|relay|doctor)/', pathNot: '^$1/' },
		},
		{
			name: 'surfaces-import-shared-index-only',
			severity: 'error',
			from: from('^(nodes|credentials|zapier|relay|doctor)/'),
			to: { path: '^shared/', pathNot: '^shared/(index|transports/undici)\\.ts$' },
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
			to: { path: '^shared/(client|reading|index)', reachable: true },
		},
		{
			name: 'runtime-knows-no-operation',
			severity: 'error',
			from: from('^nodes/[^/]+/(host|execution|triggers|memory)/'),
			to: { path: '^nodes/[^/]+/operations/' },
		},
		{
			name: 'store-knows-no-server',
			severity: 'error',
			from: from('^sandbox/store/'),
			to: { path: '^sandbox/(server|http|handlers|control|ui|gateway|callbacks|checkout|simulation)' },
		},
		{
			name: 'performance-through-its-index',
			comment: 'Groups, caches and time slices are known nowhere else',
			severity: 'error',
			from: from('^(sandbox|test)/', { pathNot: '^sandbox/performance/' }),
			to: { path: '^sandbox/performance/', pathNot: '^sandbox/performance/index\\.ts$' },
		},
		{
			name: 'performance-knows-no-sandbox',
			severity: 'error',
			from: from('^sandbox/performance/'),
			to: { path: '^sandbox/', pathNot: '^sandbox/performance/' },
		},
		{
			name: 'bootstrap-imports-no-package',
			comment: 'It installs the packages',
			severity: 'error',
			from: from(bootstrap),
			to: { pathNot: bootstrap, dependencyTypesNot: ['core'] },
		},
		{
			name: 'ui-knows-no-page',
			comment: 'Pages of other tools use the components, too',
			severity: 'error',
			from: from('^ui/', { pathNot: '^ui/server/' }),
			to: { pathNot: ['^ui/(?!server/)', 'node_modules/preact/'] },
		},
		{
			name: 'page-server-knows-no-page',
			comment: 'Servers of several tools bundle and serve their pages with it',
			severity: 'error',
			from: from('^ui/server/'),
			to: { pathNot: ['^ui/server/', 'node_modules/(esbuild|hono)/'], dependencyTypesNot: ['core'] },
		},
		{
			name: 'only-pages-import-ui',
			severity: 'error',
			from: from('', { pathNot: '^(ui/|sandbox/ui/|relay/ui/)' }),
			to: { path: '^ui/(?!server/)' },
		},
		{
			name: 'pages-import-only-types-of-the-sandbox',
			severity: 'error',
			from: from('^sandbox/ui/[^/]+/'),
			to: { pathNot: ['^ui/', '^sandbox/ui/', 'node_modules/preact/'], dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'pages-import-only-types-of-the-relay',
			severity: 'error',
			from: from('^relay/ui/[^/]+/'),
			to: { pathNot: ['^ui/', '^relay/ui/', 'node_modules/preact/'], dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'queue-engine-in-one-file',
			comment: 'Another engine must be able to replace pg-boss',
			severity: 'error',
			from: from('^(relay|test)/', { pathNot: '^relay/database/engine\\.ts$' }),
			to: { path: 'node_modules/pg-boss/' },
		},
		{
			name: 'database-knows-no-server',
			severity: 'error',
			from: from('^relay/database/'),
			to: { path: '^relay/(?!database/|log\\.ts$|node_modules/)' },
		},
		{
			name: 'commands-start-without-packages',
			comment: 'A command loads its other parts with import(), after the bootstrap',
			severity: 'error',
			from: from('^scripts/(start|dev|sandbox|relay|doctor|docs|test[^/]*|sum-reports)\\.mjs$'),
			to: { pathNot: bootstrap, dependencyTypesNot: ['core', 'dynamic-import'] },
		},
		{
			name: 'site-knows-only-pages',
			comment: 'Tests read the pages without VitePress',
			severity: 'error',
			from: from('^site/lib/'),
			to: { pathNot: '^site/lib/', dependencyTypesNot: ['core'] },
		},
		{ name: 'nothing-imports-tests', severity: 'error', from: from('', { pathNot: '^test/' }), to: { path: '^test/' } },
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '(^|/)(dist|\\.local)/' },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'default', 'types'],
		},
	},
};
