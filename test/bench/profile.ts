// Reads the CPU profiles of a run with `--profile DIR` and prints where the time went: self time by file and by
// function, then the time below each function of our own.
//
//   node test/bench/profile.ts DIR [lines]
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Profile {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  samples: number[]
  timeDeltas: number[]
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A short name of the place code comes from: a path of ours, a package, a part of Node, or the engine itself. */
function placeOf(url: string): string {
  if (url === '') return '(engine)'
  if (!url.startsWith('file:')) return url
  const path = relative(root, fileURLToPath(url))
  return path.replace(/^node_modules\//, '')
}

function addTo(totals: Map<string, number>, key: string, ms: number): void {
  totals.set(key, (totals.get(key) ?? 0) + ms)
}

function printTop(title: string, totals: ReadonlyMap<string, number>, busyMs: number, lines: number): void {
  process.stdout.write(`\n${title}\n`)
  for (const [key, ms] of [...totals].toSorted((a, b) => b[1] - a[1]).slice(0, lines)) {
    process.stdout.write(
      `${((100 * ms) / busyMs).toFixed(1).padStart(6)} %  ${Math.round(ms).toString().padStart(7)} ms  ${key}\n`,
    )
  }
}

/** Prints one profile: self time without the idle part. */
function printProfile(file: string, lines: number): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]))
  const files = new Map<string, number>()
  const functions = new Map<string, number>()
  const parents = new Map(
    profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)),
  )
  const below = new Map<string, number>()
  let busyMs = 0
  profile.samples.forEach((sample, index) => {
    const frame = frames.get(sample)
    const ms = (profile.timeDeltas[index] ?? 0) / 1_000
    if (!frame || frame.functionName === '(idle)') return
    busyMs += ms
    const place = placeOf(frame.url)
    addTo(files, place === '(engine)' ? `(engine) ${frame.functionName}` : place, ms)
    addTo(functions, `${frame.functionName || '(anonymous)'}  ${place}:${frame.lineNumber + 1}`, ms)
    const seen = new Set<string>()
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const caller = frames.get(id)!
      if (!caller.url.startsWith('file:') || caller.url.includes('/node_modules/')) continue
      seen.add(`${caller.functionName || '(anonymous)'}  ${placeOf(caller.url)}:${caller.lineNumber + 1}`)
    }
    for (const key of seen) addTo(below, key, ms)
  })
  process.stdout.write(`${file}: ${Math.round(busyMs)} ms busy\n`)
  printTop('self time by file', files, busyMs, lines)
  printTop('self time by function', functions, busyMs, lines)
  printTop('time of our functions with everything they call', below, busyMs, lines)
}

const [dir, lines = '25'] = process.argv.slice(2)
if (dir === undefined) throw new Error('profile.ts needs the folder of the profiles')
for (const file of readdirSync(dir).filter((name) => name.endsWith('.cpuprofile'))) {
  printProfile(join(dir, file), Number(lines))
}
