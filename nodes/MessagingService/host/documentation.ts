/**
 * The page behind **Docs** in the editor (decision 27). n8n links to the package's page on npm if a node has none, and that
 * page exists only after publication.
 */
export const NODE_DOCUMENTATION_URL = 'https://docs.n8n.io/integrations/community-nodes/using-community-nodes';
