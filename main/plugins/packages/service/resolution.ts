// Finds versions of packages that fit together, and the order in which they are installed (D-131). Pure.
import semver from 'semver'
import type { DependencyResolution } from '#shared/contracts/package-parts.ts'

/** A version of a package and what it needs. */
export interface PackageNode {
  readonly id: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** An uploaded version. */
export interface Candidate extends Omit<PackageNode, 'id'> {
  readonly ref: string
}

/** What there is to choose from. */
export interface PackageWorld {
  readonly installed: ReadonlyMap<string, PackageNode & { readonly enabled: boolean }>
  /** Uploaded versions of a package, in any order. */
  uploaded(id: string): readonly Candidate[]
}

/** What was found. */
export interface Resolution {
  readonly result: DependencyResolution
  /** Uploaded versions that have to be installed or upgraded to, in this order. */
  readonly needed: readonly {
    readonly id: string
    readonly version: string
    readonly ref: string
    readonly isNew: boolean
  }[]
}

type Choice = { readonly node: PackageNode; readonly ref: string | null } | null
type Entry = DependencyResolution['dependencies'][number]

/** Most times the choice is made anew because another one changed it. */
const maxRounds = 50

/** Resolves what a version of a package needs. */
export function resolveDependencies(root: PackageNode, world: PackageWorld): Resolution {
  let choices = new Map<string, Choice>()
  let ranges = requirementsOf(root, choices, world)
  for (let round = 0; round < maxRounds; round += 1) {
    const next = new Map([...ranges].map(([id, wanted]): [string, Choice] => [id, choose(id, [...wanted], world)]))
    const isStable = signature(next) === signature(choices)
    choices = next
    ranges = requirementsOf(root, choices, world)
    if (isStable) break
  }
  const dependencies = [...ranges]
    .map(([id, wanted]) => entryOf(id, [...wanted], choices.get(id) ?? null, world))
    .toSorted((a, b) => (a.packageId < b.packageId ? -1 : 1))
  const graph = graphOf(root, choices, world)
  const circularDependencies = cyclesOf(graph)
  const needed = dependencies.filter(
    ({ status, resolvedVersion }) => status.startsWith('needs_') && resolvedVersion !== undefined,
  )
  const working = new Set([root.id, ...needed.map(({ packageId }) => packageId)])
  const installOrder = circularDependencies.length > 0 ? [] : orderOf(graph, working)
  const canProceed =
    circularDependencies.length === 0 &&
    dependencies.every(
      ({ status, resolvedVersion }) =>
        status === 'satisfied' || (status !== 'conflict' && resolvedVersion !== undefined),
    )
  return {
    result: {
      dependencies,
      canProceed,
      requiredActions: dependencies.flatMap(actionOf),
      installOrder,
      circularDependencies,
    },
    needed: installOrder.flatMap((id) => {
      const choice = choices.get(id)
      if (choice === undefined || choice === null || choice.ref === null) return []
      return [{ id, version: choice.node.version, ref: choice.ref, isNew: !world.installed.has(id) }]
    }),
  }
}

/** Whether a version is in every one of the ranges; pre-releases only where a range names them. */
function fits(version: string, ranges: readonly string[]): boolean {
  return ranges.every((range) => semver.satisfies(version, range))
}

/** What is asked of every package that is needed: by those that need it, and by what is installed already. */
function requirementsOf(
  root: PackageNode,
  choices: ReadonlyMap<string, Choice>,
  world: PackageWorld,
): Map<string, Set<string>> {
  const ranges = new Map<string, Set<string>>()
  const seen = new Set<string>([root.id])
  const queue: PackageNode[] = [root]
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    for (const [id, range] of Object.entries(node.dependencies)) {
      if (id === root.id) continue
      const known = ranges.get(id) ?? new Set()
      ranges.set(id, known.add(range))
      const choice = choices.get(id)
      if (seen.has(id) || choice === undefined || choice === null) continue
      seen.add(id)
      queue.push(choice.node)
    }
  }
  for (const node of world.installed.values()) {
    // What is needed here anyway has said so by the version chosen for it.
    if (node.id === root.id || seen.has(node.id)) continue
    for (const [id, range] of Object.entries(node.dependencies)) ranges.get(id)?.add(range)
  }
  return ranges
}

function choose(id: string, ranges: readonly string[], world: PackageWorld): Choice {
  const installed = world.installed.get(id)
  if (installed !== undefined && fits(installed.version, ranges)) return { node: installed, ref: null }
  const [best] = world
    .uploaded(id)
    .filter(({ version }) => fits(version, ranges))
    .filter(({ version }) => installed === undefined || semver.gt(version, installed.version))
    .toSorted((a, b) => semver.rcompare(a.version, b.version))
  return best === undefined ? null : { node: { ...best, id }, ref: best.ref }
}

function signature(choices: ReadonlyMap<string, Choice>): string {
  return JSON.stringify([...choices].map(([id, choice]) => [id, choice?.node.version ?? null]).toSorted())
}

function entryOf(id: string, ranges: readonly string[], choice: Choice, world: PackageWorld): Entry {
  const installed = world.installed.get(id)
  const entry = {
    packageId: id,
    requiredRange: ranges.length === 1 ? ranges[0]! : ranges.map((range) => `(${range})`).join(' and '),
    ...(installed === undefined ? {} : { installedVersion: installed.version }),
  }
  const conflict = (conflictReason: string): Entry => ({ ...entry, status: 'conflict', conflictReason })
  if (choice === null) {
    if (installed !== undefined) {
      return conflict(`Version ${installed.version} is installed, and no version that fits is uploaded.`)
    }
    if (world.uploaded(id).length > 0) return conflict('None of the uploaded versions fits.')
    return { ...entry, status: 'needs_install' }
  }
  const resolved = { ...entry, resolvedVersion: choice.node.version }
  if (choice.ref !== null) return { ...resolved, status: installed === undefined ? 'needs_install' : 'needs_upgrade' }
  return installed!.enabled ? { ...resolved, status: 'satisfied' } : conflict('The package is installed, but disabled.')
}

function actionOf({
  packageId,
  status,
  requiredRange,
  resolvedVersion,
  conflictReason,
}: Entry): DependencyResolution['requiredActions'] {
  const version = resolvedVersion ?? requiredRange
  if (status === 'needs_install') {
    return [{ type: 'install', packageId, description: `Install ${packageId} ${version}.` }]
  }
  if (status === 'needs_upgrade') {
    return [{ type: 'upgrade', packageId, description: `Upgrade ${packageId} to ${version}.` }]
  }
  return status === 'conflict' ? [{ type: 'confirm_conflict', packageId, description: conflictReason! }] : []
}

type Graph = ReadonlyMap<string, readonly string[]>

/** Who needs whom, of all that would be there. */
function graphOf(root: PackageNode, choices: ReadonlyMap<string, Choice>, world: PackageWorld): Graph {
  const nodes = new Map<string, PackageNode>(world.installed)
  for (const choice of choices.values()) if (choice !== null) nodes.set(choice.node.id, choice.node)
  nodes.set(root.id, root)
  const known = (id: string): boolean => nodes.has(id)
  return new Map([...nodes].map(([id, node]) => [id, Object.keys(node.dependencies).filter(known).toSorted()]))
}

/** One ring for every group of packages that need each other; each begins with its smallest id. */
function cyclesOf(graph: Graph): string[][] {
  const reachable = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>()
    const queue = [...(graph.get(from) ?? [])]
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (seen.has(id)) continue
      seen.add(id)
      queue.push(...(graph.get(id) ?? []))
    }
    return seen
  }
  const reach = new Map([...graph.keys()].map((id) => [id, reachable(id)]))
  const cycles: string[][] = []
  const done = new Set<string>()
  for (const id of [...graph.keys()].toSorted()) {
    if (done.has(id) || !reach.get(id)!.has(id)) continue
    const group = new Set([...reach.get(id)!].filter((other) => reach.get(other)!.has(id)))
    for (const member of group) done.add(member)
    cycles.push(ringFrom(id, graph, group))
  }
  return cycles
}

/** The shortest way from a package back to itself. */
function ringFrom(start: string, graph: Graph, group: ReadonlySet<string>): string[] {
  const ways: string[][] = [[start]]
  const seen = new Set<string>()
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === start) return way
      if (!group.has(next) || seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return [start]
}

/** What is needed comes first; among equals the smaller id. */
function orderOf(graph: Graph, wanted: ReadonlySet<string>): string[] {
  const order: string[] = []
  const done = new Set<string>()
  const visit = (id: string): void => {
    if (done.has(id)) return
    done.add(id)
    for (const next of graph.get(id) ?? []) visit(next)
    if (wanted.has(id)) order.push(id)
  }
  for (const id of [...wanted].toSorted()) visit(id)
  return order
}
