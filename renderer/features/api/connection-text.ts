// Owns the configuration an assistant is given to find Cairn, as most of them read it. Pure.

/** For one that connects over HTTP. */
export function httpConfiguration(baseUrl: string, key: string): string {
  const cairn = { type: 'http', url: `${baseUrl}/mcp`, headers: { Authorization: `Bearer ${key}` } }
  return JSON.stringify({ mcpServers: { cairn } }, null, 2)
}

/** For one that starts a command in the folder of the program. */
export function stdioConfiguration(key: string): string {
  const cairn = { command: 'npm', args: ['run', '--silent', 'cairn', '--', 'mcp'], env: { CAIRN_API_KEY: key } }
  return JSON.stringify({ mcpServers: { cairn } }, null, 2)
}
