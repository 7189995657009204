// `cairn package`: packages from the side of those who make them. Packing, signing and verifying need no host; installing
// sends the archive to the running program.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { PlatformError } from '#shared/errors.ts'
import type { JudgedPackage } from '#main/plugins/packages/offline.ts'
import {
  judgePackage,
  makeSigningKey,
  packPackage,
  readSigningKey,
  signPackage,
} from '#main/plugins/packages/offline.ts'
import { WrongUsage, commonOptions, exitCodeOf } from './command-line.ts'
import { CommandFailed, connectToHost, refusalOf } from './host-client.ts'

const usage = `Usage: cairn package <action> [...]

  key FILE                  makes a key to sign with, in a file only you can read
  sign DIR                  writes checksums.json and signature.json: --key FILE --key-id ID
  pack DIR [FILE]           packs a folder into an archive (else ID-VERSION.zip in this folder)
  verify DIR|FILE           tells whether it could be installed, and who signed it
  install DIR|FILE          uploads it to the running program and installs it, or upgrades what is installed
                            --without-samples --confirm --data DIR

  CAIRN_API_KEY narrows the rights of install to those of a key.
`

const options = {
  key: { type: 'string' },
  'key-id': { type: 'string' },
  'without-samples': { type: 'boolean' },
  confirm: { type: 'boolean' },
  ...commonOptions,
} as const

type Options = ReturnType<typeof parse>['values']

const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options, allowPositionals: true })

/** One action: its words and options. */
type Action = (words: readonly string[], options: Options, dataDir: string) => Promise<number>

const actions: Readonly<Record<string, Action>> = { key: makeKey, sign, pack, verify, install }

/** Runs the command and answers the exit code. */
export function runPackage(argv: readonly string[]): Promise<number> {
  const read = () => parse(argv)
  return exitCodeOf(usage, read, async ({ positionals, values }, dataDir) => {
    const [name = '', ...words] = positionals
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (action === undefined) throw new WrongUsage(name === '' ? 'Say what to do.' : `There is no action ${name}.`)
    try {
      return await action(words, values, dataDir)
    } catch (error) {
      if (error instanceof PlatformError) throw refusalOf(error.httpStatus, JSON.stringify({ error }))
      if (error instanceof Error && 'syscall' in error) throw new CommandFailed(error.message)
      throw error
    }
  })
}

async function makeKey([file]: readonly string[]): Promise<number> {
  // Never over a key that packages are signed with already.
  writeFileSync(required(file, 'a file for the key'), makeSigningKey(), { mode: 0o600, flag: 'wx' })
  say(`${file} holds the key. Whoever has it can sign in your name.`)
  return 0
}

async function sign([folder]: readonly string[], { key, 'key-id': keyId }: Options): Promise<number> {
  const dir = required(folder, 'the folder of the package')
  const privateKey = readSigningKey(readFileSync(required(key, 'a key with --key'), 'utf8'))
  const signedAt = new Date().toISOString()
  const publicKey = signPackage(dir, {
    keyId: required(keyId, 'the name of the key with --key-id'),
    privateKey,
    signedAt,
  })
  say(`Signed with ${keyId}. Its public key is ${publicKey}`)
  return 0
}

async function pack([folder, file]: readonly string[]): Promise<number> {
  const { fileName, bytes } = packPackage(required(folder, 'the folder of the package'))
  writeFileSync(file ?? fileName, bytes)
  say(`${file ?? fileName}: ${bytes.length} bytes`)
  return 0
}

async function verify([given]: readonly string[]): Promise<number> {
  const { judged } = await judge(required(given, 'a folder or an archive'))
  const { id, version, items, records, signature } = judged
  say(`${id} ${version}: ${items} items, ${records} records`)
  say(signature === null ? 'Nobody signed it.' : `Signed with ${signature.keyId}, ${signature.publicKey}`)
  return 0
}

async function install([given]: readonly string[], values: Options, dataDir: string): Promise<number> {
  const { bytes, judged } = await judge(required(given, 'a folder or an archive'))
  const host = await connectToHost(dataDir)
  const format = bytes.subarray(0, 2).toString('latin1') === 'PK' ? 'zip' : 'tgz'
  const artifact = { format, content: bytes.toString('base64'), packageId: judged.id, version: judged.version }
  const kept = await host.json({ method: 'POST', path: '/packages/upload', json: { artifact } })
  const { artifactRef, trust } = kept['data'] as { artifactRef: string; trust: string }
  const answer = await host.json({
    method: 'POST',
    path: '/packages/install',
    json: {
      artifactRef,
      overwrite: true,
      installDependencies: true,
      samples: values['without-samples'] !== true,
      ...(values.confirm === true ? { confirm: true } : {}),
    },
  })
  const { message } = answer['data'] as { message: string }
  say(`${judged.id} ${judged.version} (${trust}): ${message}`)
  return 0
}

/** The bytes of an archive or of a folder's archive, judged as a host does. */
async function judge(given: string): Promise<{ bytes: Buffer; judged: JudgedPackage }> {
  if (!statSync(given).isDirectory()) return { bytes: readFileSync(given), judged: await judgePackage(given) }
  const { bytes } = packPackage(given)
  const folder = mkdtempSync(path.join(tmpdir(), 'cairn-package-'))
  try {
    const file = path.join(folder, 'package.zip')
    writeFileSync(file, bytes)
    return { bytes, judged: await judgePackage(file) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function required(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new WrongUsage(`Name ${what}.`)
  return value
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
