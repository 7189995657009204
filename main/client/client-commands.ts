// The commands over a running host. Each reads its own options and is loaded when it is asked for; none loads a host.

/** Runs one of them; undefined where the first word names none. */
export function runClientCommand(argv: readonly string[]): Promise<number> | undefined {
  const rest = argv.slice(1)
  switch (argv[0]) {
    case 'data':
      return import('./data-command.ts').then(({ runData }) => runData(rest))
    case 'types':
      return import('./types-command.ts').then(({ runTypes }) => runTypes(rest))
    case 'package':
      return import('./package-command.ts').then(({ runPackage }) => runPackage(rest))
    case 'mcp':
      return import('./mcp-bridge.ts').then(({ runMcpBridge }) => runMcpBridge(rest))
    default:
      return undefined
  }
}
