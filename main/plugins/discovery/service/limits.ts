// The limits of D-199 as discovery shows them. Data only.

const kilobyte = 1024
const megabyte = 1024 * kilobyte
const gigabyte = 1024 * megabyte

/**
 * Limits by name; names end in their unit unless they count things.
 * @param batchRecords the configured most records of one bulk request
 * @source D-199
 */
export function limitsOf(batchRecords: number): Record<string, number> {
  return {
    jsonBodyBytes: 10 * megabyte,
    authBodyBytes: 64 * kilobyte,
    receiverBodyBytes: megabyte,
    urlBytes: 16 * kilobyte,
    recordBytes: 5 * megabyte,
    objects: 1_000,
    fieldsPerObject: 500,
    filterConditions: 100,
    filterDepth: 16,
    topDefault: 20,
    topMax: 1_000,
    batchRecords,
    importRowsDirect: 10_000,
    importRowsJob: 1_000_000,
    expandDepth: 3,
    expandPaths: 10,
    fileBytes: 100 * megabyte,
    chunkedFileBytes: 5 * gigabyte,
    artifactBytes: 64 * megabyte,
    requestMs: 30_000,
    batchMs: 60_000,
    analyticsMs: 30_000,
    triggerMs: 120_000,
    flowNodes: 500,
    flowRunsPerHost: 50,
    flowRunsPerFlow: 10,
    webhooks: 500,
    receivers: 200,
  }
}
