import type { RequestRow } from '../../../control/requests';
import { FilterBar } from '../../../../ui/FilterBar';
import { FilteredList, useFilteredList } from '../../../../ui/FilteredList';
import { filtersOf } from '../../../../ui/filters';
import { formatCount } from '../../../../ui/format';
import { toUrl } from '../../../../ui/router';
import { type Column, EmptyState } from '../../../../ui/Table';
import { Time } from '../../../../ui/Time';
import { endpointList } from '../access';
import { control } from '../client';
import { formatDuration, RequestPanel, ResponseStatus } from '../RequestPanel';
import type { SectionProps } from '../../../../ui/Frame';
import { formatWord } from '../StatusBadge';

const results = [{ value: 'true', label: 'Failed only' }];
const endpoints = [
	...endpointList.map(({ id, summary }) => ({ value: id, label: `${summary} (${id})` })),
	{ value: 'none', label: 'No such endpoint' },
];
const selects = [
	{ name: 'endpoint', label: 'Endpoint', options: endpoints },
	{ name: 'failed', label: 'Result', options: results },
] as const;

/** The last requests to the API, with request and response of each in a side panel. */
export function ApiLog({ place }: SectionProps) {
	const filters = filtersOf('api-log', place, ['endpoint', 'failed']);
	const list = useFilteredList(['requests'], filters, async (query) => await control.page('GET requests', { query }));
	const columns: readonly Column<RequestRow>[] = [
		{
			title: 'Request',
			lead: true,
			wide: true,
			draw: ({ id, method, path, query: search, reason }) => (
				<span>
					<a class="code breakable" href={filters.urlOf(id)}>{`${method} ${path}${search}`}</a>
					{reason && <span class="sub">{reason}</span>}
				</span>
			),
		},
		{ title: 'Response', draw: (row) => <ResponseStatus request={row} /> },
		{ title: 'Fault', draw: ({ fault }) => (fault === null ? '–' : formatWord(fault)) },
		{
			title: 'Key',
			draw: ({ key }) =>
				key ? (
					<span class="code" title={key.name}>
						{key.hint}
					</span>
				) : (
					'–'
				),
		},
		{ title: 'Duration', number: true, draw: ({ milliseconds }) => formatDuration(milliseconds) },
		{ title: 'Time', draw: ({ at }) => <Time at={at} /> },
	];
	return (
		<>
			<FilterBar
				filters={filters}
				searchHint="Part of the path, the reason or a body, such as a number or an ID"
				selects={selects}
			/>
			<FilteredList
				caption="API requests, newest first"
				columns={columns}
				keyOf={({ id }) => id}
				list={list}
				filters={filters}
				what="requests"
				empty={<NoRequests />}
			/>
			{place.id && <RequestPanel key={place.id} id={place.id} onClose={filters.close} />}
		</>
	);
}

function NoRequests() {
	return (
		<EmptyState title="No requests yet">
			Every API request appears here, including rejected ones. Send one from the{' '}
			<a href={toUrl('overview')}>overview</a>. The last {formatCount(1000)} stay until the sandbox stops.
		</EmptyState>
	);
}
