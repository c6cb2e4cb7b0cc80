import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ConnectionState } from './ConnectionState';
import { useLiveState } from './live';
import { Problem } from './Problem';
import { type Place, toUrl, usePlace } from './router';

/** Properties of every section. */
export interface SectionProps {
	readonly place: Place;
}

/** A section of a page. */
export interface Section {
	/** Name in the URL. */
	readonly name: string;
	readonly title: string;
	/** Path of its icon on a grid of 24 by 24. */
	readonly icon: string;
}

/** Sections below a heading of the navigation. */
export interface SectionGroup {
	/** Empty: no heading. */
	readonly title: string;
	readonly sections: readonly Section[];
}

/** Properties of {@link Frame}. */
export interface FrameProps {
	/** The maker and the name of the tool. */
	readonly brand: string;
	readonly tool: string;
	/** Ends the title of the browser's tab, after the section's. */
	readonly siteTitle: string;
	readonly groups: readonly SectionGroup[];
	/** The component of each section by its name. */
	readonly views: Readonly<Record<string, ComponentType<SectionProps>>>;
	/** Below the state of the connection. */
	readonly status?: ComponentChildren;
	/** At the end of the navigation. */
	readonly footer?: ComponentChildren;
	/** Above every section, such as an alarm. */
	readonly notice?: ComponentChildren;
}

/**
 * The frame of a page with sections: the navigation, and the section that the URL names. It needs a
 * `LiveContext.Provider` above it.
 */
export function Frame({ brand, tool, siteTitle, groups, views, status, footer, notice }: FrameProps) {
	const place = usePlace();
	const { connection, busy, problem } = useLiveState();
	const [open, setOpen] = useState(false);
	const main = useRef<HTMLElement>(null);
	const heading = useRef<HTMLHeadingElement>(null);
	const menu = useRef<HTMLButtonElement>(null);
	const sections = groups.flatMap((group) => group.sections);
	const section = sections.find(({ name }) => name === place.name) ?? sections[0];
	const name = section?.name ?? '';
	const title = section?.title ?? '';
	const View = views[name];

	useEffect(() => setOpen(false), [place]);
	const shown = useRef<string>();
	useLayoutEffect(() => {
		document.title = `${title} · ${siteTitle}`;
		scrollTo(0, 0);
		// The page that the browser has just loaded keeps its focus.
		if (shown.current !== undefined) heading.current?.focus({ preventScroll: true });
		shown.current = name;
	}, [name, title, siteTitle]);
	// A layout effect, because Escape may come before the browser paints.
	useLayoutEffect(() => {
		if (!open) return undefined;
		const close = ({ key }: KeyboardEvent) => {
			if (key !== 'Escape') return;
			setOpen(false);
			menu.current?.focus();
		};
		document.addEventListener('keydown', close);
		return () => document.removeEventListener('keydown', close);
	}, [open]);

	return (
		<>
			<a
				id="skip"
				href="#main"
				onClick={(event) => {
					event.preventDefault();
					main.current?.focus();
				}}
			>
				Skip to the content
			</a>
			<header id="top">
				<a class="brand" href={toUrl(sections[0]?.name ?? '')}>
					<img src="ui/icon.svg" alt="" />
					<span>
						<strong>{brand}</strong>
						<small>{tool}</small>
					</span>
				</a>
				<ConnectionState connection={connection} />
				{status}
				<button
					id="menu"
					type="button"
					ref={menu}
					aria-expanded={open}
					aria-controls="navigation"
					onClick={() => setOpen(!open)}
				>
					Menu
				</button>
			</header>
			<nav id="navigation" aria-label="Sections" data-open={String(open)}>
				{groups.map((group) => (
					<div key={group.title}>
						{group.title && <h2>{group.title}</h2>}
						<ul>
							{group.sections.map((one) => (
								<li key={one.name}>
									<a href={toUrl(one.name)} aria-current={one.name === name ? 'page' : undefined}>
										<svg viewBox="0 0 24 24" aria-hidden="true">
											<path d={one.icon} />
										</svg>
										{one.title}
									</a>
								</li>
							))}
						</ul>
					</div>
				))}
				{footer}
			</nav>
			<main id="main" tabIndex={-1} ref={main}>
				<h1 id="title" tabIndex={-1} ref={heading}>
					{title}
				</h1>
				{notice}
				<Problem id="problem" text={problem} />
				<div id="view" aria-busy={busy || undefined}>
					{View && <View key={name} place={place} />}
				</div>
			</main>
		</>
	);
}
