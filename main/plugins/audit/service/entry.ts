// One entry as it is stored, and the hash that ties it to the one before. Pure.
import { createHmac, hash } from 'node:crypto'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import type { AuditDraft, AuditOutcome, AuditSubject } from '../api.ts'
import { cleanDetails } from './details.ts'

/** A row of audit_entry; names are those of its columns. */
export interface EntryRow {
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly kind: string
  readonly outcome: AuditOutcome
  readonly actor_type: string
  readonly actor_id: string
  /** Who acts as the actor; null when nobody does. */
  readonly real_user_id: string | null
  readonly credential: string | null
  /** Tells credentials apart; not the credential and not made of it alone. */
  readonly credential_digest: string | null
  readonly organization_id: string | null
  readonly object: string | null
  readonly item_type: string | null
  readonly item_name: string | null
  readonly record_id: string | null
  /** Canonical JSON. */
  readonly details: string
  readonly request_id: string
  readonly source: string
  /** The hash of the entry before. */
  readonly prev: string
  readonly hash: string
}

/** An entry without its place in the chain. */
export type EntryFacts = Omit<EntryRow, 'seq' | 'prev' | 'hash'>

/** The end of a chain, or any other place in it. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** Where every chain begins. */
export const genesis: Head = Object.freeze({ seq: 0, hash: '0'.repeat(64) })

/** Makes an entry of what is told and who it is about. */
export function entryFacts(at: string, subject: AuditSubject, draft: AuditDraft): EntryFacts {
  const { actor, credentialId } = subject
  const text = (value: string | null | undefined): string | null => (value == null ? null : bounded(value))
  return {
    at,
    kind: bounded(draft.kind),
    outcome: draft.outcome ?? 'ok',
    actor_type: actor.type,
    actor_id: bounded(actor.id),
    real_user_id: text(subject.impersonatorId),
    credential: subject.credential ?? null,
    credential_digest: credentialId === undefined || credentialId === '' ? null : digest(credentialId),
    organization_id: text(subject.organizationId),
    object: text(draft.object),
    item_type: text(draft.item?.type),
    item_name: text(draft.item?.name),
    record_id: text(draft.recordId),
    details: canonicalJson(cleanDetails(draft.details ?? {})),
    request_id: bounded(subject.requestId),
    source: subject.source,
  }
}

/**
 * The keyed hash of an entry over the hash of the one before and the canonical JSON (RFC 8785) of all its columns. A
 * plain hash could be computed again by whoever edits the file; this one needs the key.
 */
export function entryHash(key: Buffer, entry: Omit<EntryRow, 'hash'>): string {
  return createHmac('sha256', key).update(entry.prev).update('\n').update(canonicalJson(entry)).digest('hex')
}

function digest(credentialId: string): string {
  return hash('sha256', `audit\n${credentialId}`).slice(0, 16)
}

function bounded(text: string): string {
  return text.slice(0, 200).toWellFormed()
}
