// Which version of OData an answer is written in. Knows no entity and no route.

/** The version for a client that names the latest one it understands; 4.01 for one that names none. @source D-277 */
export function odataVersionOf(headers: Readonly<Record<string, unknown>>): '4.0' | '4.01' {
  const most = headers['odata-maxversion']
  return typeof most === 'string' && Number(most.trim()) < 4.01 ? '4.0' : '4.01'
}
