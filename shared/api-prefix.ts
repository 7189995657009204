// The words with which a client learns where the API hangs (D-01).

/** The prefix of a host that has no other one configured. */
export const defaultPrefix = '/api/v1'

/** Name of the `meta` element that tells the page of a plain browser the prefix; absent for the default one. */
export const prefixMeta = 'cairn-api-prefix'
