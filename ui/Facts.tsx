import { type ComponentChildren, Fragment } from 'preact';

/** A list of names and values. Empty values are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
	return (
		<dl class="facts">
			{Object.entries(facts)
				.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
				.map(([name, value]) => (
					<Fragment key={name}>
						<dt>{name}</dt>
						<dd>{value}</dd>
					</Fragment>
				))}
		</dl>
	);
}
