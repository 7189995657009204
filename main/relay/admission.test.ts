// Who is let in: the right token once, then the word of a device that is in. Old words and foreign ones count nothing.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRelayDevice, testWorkspace } from '../../test/support/relay-device.ts'
import type { RelayDevice } from '../../test/support/relay-device.ts'
import { sayAdmission } from '#main/replication/wire/proofs.ts'
import type { AdmissionWord } from '#main/replication/wire/proofs.ts'
import type { Admission, AdmissionVerdict } from './admission.ts'
import { createAdmission, hashToken } from './admission.ts'
import type { RelayWorkspace } from './append-run.ts'
import type { RelayDatabase } from './row-store.ts'
import { openRelayDatabase } from './row-store.ts'

let dir: string
let database: RelayDatabase
let admission: Admission
const [founder, second, third] = [createRelayDevice(1), createRelayDevice(2), createRelayDevice(3)] as const

function open(): void {
  database = openRelayDatabase(join(dir, 'relay.db'))
  const adminTokenHash = hashToken('secret')
  admission = createAdmission({ connection: database.connection, adminTokenHash, now: () => 1000 })
}

const ask = (device: RelayDevice, change: { token?: string; epoch?: number } = {}): AdmissionVerdict =>
  admission.admit({ ws: testWorkspace, epoch: 1, key: device.key, ...change })
const codeOf = (verdict: AdmissionVerdict): string => (verdict.ok ? 'admitted' : verdict.code)

function register(): RelayWorkspace {
  const verdict = ask(founder, { token: 'secret' })
  if (!verdict.ok) throw new Error(verdict.code)
  return verdict.workspace
}

const word = <K extends AdmissionWord>(kind: K, by: RelayDevice, about: RelayDevice, at: number) =>
  sayAdmission(kind, { signer: by.signer, workspace: testWorkspace, key: about.key, at })

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-admission-'))
  open()
})

afterEach(() => {
  database.close()
  rmSync(dir, { recursive: true })
})

describe('a workspace', () => {
  it('is registered with the right token, once, by the device that brings it', () => {
    expect(codeOf(ask(founder))).toBe('workspace_unknown')
    expect(codeOf(ask(founder, { token: 'wrong' }))).toBe('token_invalid')
    expect(ask(founder, { token: 'secret' })).toMatchObject({ ok: true, isNew: true })
    expect(ask(founder)).toMatchObject({ ok: true, isNew: false })
    expect(codeOf(ask(second, { token: 'secret' }))).toBe('not_admitted')
  })

  it('stays registered after a restart', () => {
    const { id } = register()
    database.close()
    open()
    expect(ask(founder)).toMatchObject({ ok: true, workspace: { id } })
  })

  it('of another epoch is not joined, and who is not in does not learn that', () => {
    register()
    expect(codeOf(ask(founder, { epoch: 2 }))).toBe('epoch_mismatch')
    expect(codeOf(ask(second, { epoch: 2 }))).toBe('not_admitted')
  })

  it('does not keep the token', () => {
    register()
    const file = database.connection.serialize()
    expect(file.includes('secret')).toBe(false)
  })
})

describe('a device', () => {
  it('is let in by the word of one that is in, and that one lets in the next', () => {
    const workspace = register()
    expect(admission.say(workspace, word('GRANT', second, second, 5))).toBe('signature_invalid')
    expect(admission.say(workspace, word('GRANT', founder, second, 5))).toBeUndefined()
    expect(admission.say(workspace, word('GRANT', second, third, 6))).toBeUndefined()
    expect([second, third].map((device) => codeOf(ask(device)))).toEqual(['admitted', 'admitted'])
    expect(admission.devices(workspace.id)).toHaveLength(3)
  })

  it('is not let in by a word for another workspace, or one that was changed', () => {
    const workspace = register()
    const said = word('GRANT', founder, second, 5)
    expect(admission.say({ ...workspace, ws: new Uint8Array(16) }, said)).toBe('signature_invalid')
    expect(admission.say(workspace, { ...said, key: third.key })).toBe('signature_invalid')
    expect(admission.say(workspace, { ...said, at: 6 })).toBe('signature_invalid')
    expect([second, third].map((device) => codeOf(ask(device)))).toEqual(['not_admitted', 'not_admitted'])
  })

  it('that was closed out stays out when the old word is said again, and is let in by a newer one', () => {
    const workspace = register()
    const granted = word('GRANT', founder, second, 5)
    admission.say(workspace, granted)
    expect(admission.say(workspace, word('REVOKE', founder, second, 7))).toBeUndefined()
    expect(codeOf(ask(second))).toBe('not_admitted')
    expect(admission.say(workspace, granted)).toBe('outdated')
    expect(admission.say(workspace, word('GRANT', founder, second, 7))).toBe('outdated')
    expect(admission.say(workspace, word('GRANT', second, second, 9))).toBe('signature_invalid')
    database.close()
    open()
    expect(codeOf(ask(second))).toBe('not_admitted')
    expect(admission.say(workspace, word('GRANT', founder, second, 8))).toBeUndefined()
    expect(codeOf(ask(second))).toBe('admitted')
  })

  it('whose person may not read everything is told so until another word counts, also after a restart', () => {
    const workspace = register()
    admission.say(workspace, word('GRANT', founder, second, 5))
    const narrow = (at: number) =>
      (['NARROW', 'REVOKE'] as const).map((kind) => admission.say(workspace, word(kind, founder, second, at)))
    expect(narrow(7)).toEqual([undefined, undefined])
    expect(admission.devices(workspace.id)).toHaveLength(1)
    database.close()
    open()
    expect(codeOf(ask(second))).toBe('rights')
    expect(narrow(6)).toEqual(['outdated', 'outdated'])
    expect(admission.say(workspace, word('NARROW', second, second, 9))).toBe('signature_invalid')
    expect(admission.say(workspace, { ...word('REVOKE', founder, second, 8), kind: 'NARROW' })).toBe(
      'signature_invalid',
    )
    expect(codeOf(ask(second))).toBe('rights')
    // Unpaired after that.
    expect(admission.say(workspace, word('REVOKE', founder, second, 8))).toBeUndefined()
    expect(codeOf(ask(second))).toBe('not_admitted')
    expect(narrow(9)).toEqual([undefined, undefined])
    expect(codeOf(ask(second))).toBe('rights')
    expect(admission.say(workspace, word('GRANT', founder, second, 9))).toBe('outdated')
    expect(admission.say(workspace, word('GRANT', founder, second, 10))).toBeUndefined()
    expect(codeOf(ask(second))).toBe('admitted')
  })

  it('is closed out, and let in again, after a clock that was years ahead', () => {
    const workspace = register()
    const year = 365 * 86_400_000
    expect(admission.say(workspace, word('GRANT', founder, second, year))).toBe('outdated')
    admission.say(workspace, word('GRANT', founder, second, 5))
    expect(admission.say(workspace, word('REVOKE', founder, second, year))).toBeUndefined()
    expect(admission.say(workspace, word('GRANT', founder, second, 1000))).toBeUndefined()
    expect(codeOf(ask(second))).toBe('admitted')
    expect(admission.say(workspace, word('REVOKE', founder, second, 1001))).toBeUndefined()
    expect(admission.say(workspace, word('GRANT', founder, second, 1000))).toBe('outdated')
    expect(codeOf(ask(second))).toBe('not_admitted')
  })

  it('may close out the one that brought the workspace, but not the last one', () => {
    const workspace = register()
    expect(admission.say(workspace, word('REVOKE', founder, founder, 2000))).toBe('last_device')
    admission.say(workspace, word('GRANT', founder, second, 5))
    expect(admission.say(workspace, word('REVOKE', second, founder, 2000))).toBeUndefined()
    expect([founder, second].map((device) => codeOf(ask(device)))).toEqual(['not_admitted', 'admitted'])
  })
})
