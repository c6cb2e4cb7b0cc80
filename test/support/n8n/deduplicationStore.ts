import './environment';
import { DataDeduplicationService } from 'n8n-core';
import type { DeduplicationItemTypes, ICheckProcessedContextData, IDataDeduplicator } from 'n8n-workflow';

/** n8n's store of processed entries, in memory. n8n's server uses the database, with the same three steps. */
class Store implements IDataDeduplicator {
	readonly #rows = new Map<string, string>();
	claims = 0;
	#claimsLeft = Infinity;
	#callsLeft = Infinity;
	/** Set to make the store fail. */
	failure: Error | undefined;

	checkProcessedAndRecord: IDataDeduplicator['checkProcessedAndRecord'] = async (items, scope, context, options) => {
		this.claims++;
		if (this.#claimsLeft-- <= 0) throw new Error('The database is locked');
		const row = await this.#read(scope, context);
		const fresh = items.filter((item) => !row.includes(item));
		const kept = [...row, ...fresh];
		await this.#write(scope, context, kept.slice(-(options.maxEntries ?? kept.length)));
		return { new: fresh, processed: items.filter((item) => row.includes(item)) };
	};

	removeProcessed: IDataDeduplicator['removeProcessed'] = async (items, scope, context) => {
		const row = await this.#read(scope, context);
		await this.#write(
			scope,
			context,
			row.filter((item) => !items.includes(item)),
		);
	};

	clearAllProcessedItems: IDataDeduplicator['clearAllProcessedItems'] = async (scope, context) => {
		await this.#write(scope, context, []);
	};

	getProcessedDataCount: IDataDeduplicator['getProcessedDataCount'] = async (scope, context) =>
		(await this.#read(scope, context)).length;

	/** Lets the next `claims` claims succeed and makes every later one fail. Releasing keys still works. */
	failClaimsAfter(claims: number): void {
		this.#claimsLeft = claims;
	}

	/** Lets the next `calls` calls of any kind succeed and makes every later one fail, as if n8n stops in the middle. */
	stopAfter(calls: number): void {
		this.#callsLeft = calls;
	}

	/** Forgets everything, as on a new n8n. */
	clear(): void {
		this.#claimsLeft = Infinity;
		this.#callsLeft = Infinity;
		this.#rows.clear();
		this.claims = 0;
		this.failure = undefined;
	}

	async #read(scope: string, context: ICheckProcessedContextData): Promise<DeduplicationItemTypes[]> {
		if (this.#callsLeft-- <= 0) throw new Error('n8n stopped');
		await this.#roundTrip();
		const row = this.#rows.get(rowName(scope, context));
		return row === undefined ? [] : (JSON.parse(row) as DeduplicationItemTypes[]);
	}

	async #write(scope: string, context: ICheckProcessedContextData, items: DeduplicationItemTypes[]): Promise<void> {
		await this.#roundTrip();
		this.#rows.set(rowName(scope, context), JSON.stringify(items));
	}

	/** Delays like a database, so that the steps of concurrent claims interleave. */
	async #roundTrip(): Promise<void> {
		await new Promise(setImmediate);
		if (this.failure) throw this.failure;
	}
}

function rowName(scope: string, { workflow, node }: ICheckProcessedContextData): string {
	return [workflow.id, scope === 'node' ? node?.id : ''].join('/');
}

/** The store of the engine in this test file. */
export const deduplicationStore = new Store();
void DataDeduplicationService.init(deduplicationStore);
