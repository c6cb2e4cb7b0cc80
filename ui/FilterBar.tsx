import { Field, type Option } from './Form';
import type { Filters } from './filters';

const ALL: Option = { value: '', label: 'All' };

/** A filter with a fixed list of values. `All` comes before its options. */
export interface FilterSelect<Name extends string> {
	readonly name: Name;
	readonly label: string;
	readonly options: readonly Option[];
}

/** Properties of {@link FilterBar}. */
export interface FilterBarProps<Name extends string> {
	readonly filters: Filters<Name>;
	/** Says what the search finds. */
	readonly searchHint: string;
	readonly selects: readonly FilterSelect<Name>[];
}

/** The search and the filters above a list. */
export function FilterBar<Name extends string>({ filters, searchHint, selects }: FilterBarProps<Name>) {
	return (
		<form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
			<Field
				name="search"
				label="Search"
				kind="search"
				hint={searchHint}
				maxLength={200}
				wide
				value={filters.search}
				onInput={(text) => filters.type(text)}
			/>
			{selects.map(({ name, label, options }) => (
				<Field
					key={name}
					name={name}
					label={label}
					kind="select"
					options={[ALL, ...options]}
					value={filters.valueOf(name)}
					onInput={(value) => filters.choose(name, value)}
				/>
			))}
		</form>
	);
}
