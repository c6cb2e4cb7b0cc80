import './environment';
import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters, Workflow, WorkflowExecuteMode } from 'n8n-workflow';
import { loadPackage, type CredentialData } from './loadedPackage';

/** The wallet trigger in n8n's own context, loaded from dist/ as n8n loads it. */
export interface WalletEngine {
	/**
	 * Polls once, as n8n does. The node's memory is stored as JSON, as in n8n.
	 * @returns the items, or null if nothing starts
	 */
	poll(mode?: WorkflowExecuteMode): Promise<IDataObject[] | null>;
	/**
	 * Restarts n8n: the node's memory is the one stored at activation or at the last poll that started the
	 * workflow.
	 */
	restart(): void;
	/** Changes the node's fields, as a user in the editor does. */
	edit(parameters: INodeParameters): void;
	/** The node's memory. */
	memory(): IDataObject;
}

/** Loads the package and sets up the wallet trigger. */
export async function startWalletEngine(
	credentials: CredentialData,
	parameters: INodeParameters,
): Promise<WalletEngine> {
	const { nodeTypes, node, workflowOf, additionalData, typeOf } = await loadPackage(credentials);
	let fields = parameters;
	let workflow: Workflow | undefined;
	let kept: IDataObject = {};
	let written: IDataObject = {};
	let activates = true;
	let inFlight = 0;
	return {
		async poll(mode = 'trigger') {
			const polling = node('Wallet', typeOf('messagingServiceWalletTrigger'), fields);
			// Concurrent polls share their memory. Between polls, n8n may have restarted.
			workflow = inFlight > 0 && workflow ? workflow : workflowOf([polling], {}, structuredClone(kept));
			const ours = workflow;
			const nodeType = nodeTypes.getByNameAndVersion(polling.type, 1);
			if (!nodeType.poll) throw new Error('The trigger has no poll');
			inFlight += 1;
			let writes = false;
			try {
				const context = new PollContext(
					ours,
					polling,
					additionalData(),
					mode,
					mode === 'manual' ? 'manual' : 'activate',
				);
				const outputs = await nodeType.poll.call(context);
				writes = outputs !== null || activates;
				activates = false;
				return outputs === null ? null : outputs.flat().map(({ json }) => json);
			} finally {
				inFlight -= 1;
				kept = JSON.parse(JSON.stringify(ours.staticData)) as IDataObject;
				if (writes) written = kept;
			}
		},
		restart: () => {
			kept = structuredClone(written);
			activates = true;
		},
		edit: (changed) => {
			fields = changed;
		},
		memory: () => kept,
	};
}
