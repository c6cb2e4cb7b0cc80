import './environment';
import { ExecutionLifecycleHooks, PackageDirectoryLoader } from 'n8n-core';
import {
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { join } from 'node:path';

const PACKAGE = 'n8n-nodes-messaging-service';
const root = join(__dirname, '..', '..', '..');

/** Decrypted credentials by type. */
export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

/** Our package as n8n loads it from dist/, and the parts that n8n's contexts and engine need. */
export interface LoadedPackage {
	/** All node types that n8n knows, by full type name. */
	readonly types: Record<string, INodeType | IVersionedNodeType>;
	readonly nodeTypes: INodeTypes;
	/** Full type name of a node of the package. */
	readonly typeOf: (name: string) => string;
	/** Creates a node with all credentials of the test. */
	readonly node: (name: string, type: string, parameters: INodeParameters, settings?: Partial<INode>) => INode;
	readonly workflowOf: (
		nodes: INode[],
		connections?: Workflow['connectionsBySourceNode'],
		staticData?: IDataObject,
	) => Workflow;
	readonly additionalData: () => IWorkflowExecuteAdditionalData;
}

/** Loads the package. */
export async function loadPackage(credentials: CredentialData): Promise<LoadedPackage> {
	const loader = new PackageDirectoryLoader(root);
	await loader.loadAll();
	const types: LoadedPackage['types'] = {};
	for (const [name, { type }] of Object.entries(loader.nodeTypes)) types[`${PACKAGE}.${name}`] = type;
	const nodeTypes: INodeTypes = {
		getByName: (name) => known(types, name),
		getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(known(types, name), version),
		getKnownTypes: () => ({}),
	};
	const helper = new Credentials(credentials, (name) => loader.getCredential(name).type);
	return {
		types,
		nodeTypes,
		typeOf: (name) => `${PACKAGE}.${name}`,
		node: (name, type, parameters, settings = {}) => ({
			id: name,
			name,
			type,
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: Object.fromEntries(Object.keys(credentials).map((key) => [key, { id: '1', name: key }])),
			...settings,
		}),
		workflowOf: (nodes, connections = {}, staticData) =>
			new Workflow({
				id: 'w1',
				nodes,
				connections,
				active: false,
				nodeTypes,
				staticData,
				settings: { executionOrder: 'v1' },
			}),
		additionalData: () => additionalData(helper),
	};
}

/** Makes the hooks of a manual execution. */
export function hooksOf(
	executionId: string,
	nodes: INode[],
	connections: Workflow['connectionsBySourceNode'],
): ExecutionLifecycleHooks {
	return new ExecutionLifecycleHooks('manual', executionId, {
		id: 'w1',
		name: 'test',
		nodes,
		connections,
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
	});
}

function known(types: Record<string, INodeType | IVersionedNodeType>, name: string): INodeType | IVersionedNodeType {
	const type = types[name];
	if (!type) throw new Error(`Unknown node type ${name}`);
	return type;
}

/** Authenticates a request with the credential, as n8n's server does. */
class Credentials extends ICredentialsHelper {
	constructor(
		private readonly decrypted: Record<string, ICredentialDataDecryptedObject>,
		private readonly typeOf: (name: string) => ICredentialType,
	) {
		super();
	}

	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	getDecrypted = (_: unknown, __: unknown, type: string) => Promise.resolve(this.decrypted[type] ?? {});
	getCredentials = () => Promise.reject(new Error('not used'));
	preAuthentication = () => Promise.resolve(undefined);
	runPreAuthentication = () => Promise.resolve(undefined);
	updateCredentials = () => Promise.resolve();
	updateCredentialsOauthTokenData = () => Promise.resolve();
	getCredentialsProperties = (type: string) => this.typeOf(type).properties;

	authenticate = async (data: ICredentialDataDecryptedObject, type: string, options: IHttpRequestOptions) => {
		const { authenticate } = this.typeOf(type);
		if (typeof authenticate !== 'function') throw new Error(`${type} does not authenticate by a function`);
		return await authenticate(data, options);
	};
}

function additionalData(credentialsHelper: ICredentialsHelper): IWorkflowExecuteAdditionalData {
	const base = 'http://localhost';
	const notUsed = () => Promise.reject(new Error('not used'));
	return {
		credentialsHelper,
		currentNodeExecutionIndex: 0,
		restApiUrl: `${base}/rest`,
		instanceBaseUrl: base,
		formWaitingBaseUrl: `${base}/form-waiting`,
		webhookBaseUrl: `${base}/webhook`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		webhookTestBaseUrl: `${base}/webhook-test`,
		variables: {},
		executeWorkflow: notUsed,
		getRunExecutionData: () => Promise.resolve(undefined),
		logAiEvent: () => undefined,
		setExecutionStatus: () => undefined,
		startRunnerTask: notUsed,
	} as unknown as IWorkflowExecuteAdditionalData;
}
