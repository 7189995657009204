// Receivers as people make and change them. Knows no call.
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { StopReason } from '#shared/contracts/common.ts'
import type { Receiver, ReceiverInput, ReceiverPatch } from '#shared/contracts/webhooks.ts'
import { maskedSecret } from '#shared/contracts/webhooks.ts'
import type { FieldError } from '#shared/errors.ts'
import { platformError, validationError } from '#shared/errors.ts'
import { ExpressionError, compileOpenExpression } from '#shared/expression/compile-expression.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { PageQuery } from '#main/kernel/list-page.ts'
import { pageOf, standardBounds } from '#main/kernel/list-page.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { webhookError } from '../errors.ts'
import type { ReceiverRow } from '../store.ts'
import { deleteReceiver, putReceiver, readReceivers } from '../store.ts'
import type { Speakers } from './speakers.ts'
import { requireWholeRights } from './speakers.ts'
import type { Verification } from './verification.ts'
import { readVerification, secretParams } from './verification.ts'
import { refuseName } from './webhook-rules.ts'

/** A receiver without its secrets. */
export interface StoredReceiver {
  readonly row: ReceiverRow
  readonly definition: Omit<ReceiverInput, 'verificationParams'>
}

/** What receivers work with. */
export interface ReceiverParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly secrets: SecretStore
  readonly authorizer: () => Authorizer
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'get'>
  readonly speakers: Pick<Speakers, 'standingOf'>
  /** Address of a path, in full. */
  readonly urlOf: (path: string) => string
}

/** Most receivers of a workspace (D-199). */
const maxReceivers = 200

/** The receivers of a host. */
export type Receivers = ReturnType<typeof createReceivers>

/** Makes them. */
export function createReceivers(parts: ReceiverParts) {
  const { read, write, clock, ids } = parts
  let all: readonly StoredReceiver[] = []
  const opened = new Map<string, { readonly sealed: string; readonly params: Record<string, unknown> }>()
  const reload = (): void => {
    all = readReceivers(read).map((row) => ({
      row,
      definition: JSON.parse(row.definition) as StoredReceiver['definition'],
    }))
  }
  reload()

  const paramsOf = async ({ id, params: sealed }: ReceiverRow): Promise<Record<string, unknown>> => {
    const known = opened.get(id)
    if (known?.sealed === sealed) return known.params
    const params = JSON.parse(await parts.secrets.open(sealed)) as Record<string, unknown>
    opened.set(id, { sealed, params })
    return params
  }

  const isSeen = (ctx: RequestContext, { row }: StoredReceiver): boolean =>
    row.organization_id === null || row.organization_id === ctx.organizationId
  const require = (ctx: RequestContext, name: string): StoredReceiver => {
    requireOpenRecords(parts.authorizer(), ctx)
    const found = all.find(({ row }) => row.name === name) ?? all.find(({ row }) => row.id === name)
    if (found === undefined || !isSeen(ctx, found)) throw webhookError('receiver_not_found', { name })
    return found
  }

  /** What somebody lacks to do themselves what a receiver does. */
  const missing = (ctx: RequestContext, { action, target }: StoredReceiver['definition']): object | undefined => {
    const authorizer = parts.authorizer()
    if (action === 'upsert_record') {
      const closed = (['create', 'edit'] as const).find((each) => !authorizer.canObject(ctx, target, each))
      return closed && { object: target, action: closed }
    }
    const permission = action === 'script' ? 'manage_metadata' : 'run_flows'
    return authorizer.hasSystemPermission(ctx, permission) ? undefined : { permission }
  }
  /** Nobody has a receiver do what they may not do. @throws permission_denied */
  const requireOwnRights = (ctx: RequestContext, definition: StoredReceiver['definition']): void => {
    requireWholeRights(ctx)
    const lacks = missing(ctx, definition)
    if (lacks !== undefined) throw platformError('permission_denied', { ...lacks })
  }

  /** Who a receiver acts as, with the rights of now; why it is stopped, while that person may not do what it does. */
  const standingOf = (receiver: StoredReceiver): RequestContext | StopReason => {
    const standing = parts.speakers.standingOf(receiver)
    if (typeof standing === 'string') return standing
    return missing(standing, receiver.definition) === undefined ? standing : 'rights'
  }

  /**
   * @param ctx by whose rights it is to act; fields that are closed to them are as unknown ones
   * @throws validation_error, conflict
   */
  const check = (id: string, definition: StoredReceiver['definition'], ctx: RequestContext | undefined): void => {
    const problems: FieldError[] = []
    const add = (field: string, code: FieldError['code'], message: string): void =>
      void problems.push({ field, code, message })
    const { action, target, mapping = {}, externalIdField } = definition
    if (action === 'upsert_record') {
      const schema = parts.metadata.objectSchema(target)
      if (schema === undefined) add('target', 'invalid_reference', 'There is no object of this name.')
      const may = (name: string, access: 'readable' | 'editable'): boolean =>
        ctx === undefined || parts.authorizer().canField(ctx, target, name, access)
      const named = [
        ...Object.keys(mapping).map((name) => [`mapping.${name}`, name]),
        ['externalIdField', externalIdField],
      ]
      for (const [path, name] of named as [string, string | undefined][]) {
        const field = name === undefined ? undefined : schema?.byName.get(name)
        if (schema === undefined || name === undefined) continue
        if (field === undefined || !(field.system || may(name, 'readable')))
          add(path, 'unknown_field', `The object has no field "${name}".`)
        else if (path !== 'externalIdField' && !may(name, 'editable'))
          add(path, 'not_allowed', 'The field is closed to changes for you.')
      }
    } else if (action === 'script' && parts.metadata.get('function', target) === undefined)
      add('target', 'invalid_reference', 'There is no function of this name.')
    else if (action === 'trigger_flow' && parts.metadata.get('flow', target) === undefined)
      add('target', 'invalid_reference', 'There is no flow of this name.')
    for (const [name, source] of Object.entries(mapping)) {
      try {
        compileOpenExpression(source)
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error
        add(`mapping.${name}`, 'expression_error', error.message)
      }
    }
    if (problems.length > 0) throw validationError(problems)
    const others = all.filter(({ row }) => row.id !== id)
    if (others.some(({ row }) => row.name === definition.name)) add('name', 'not_unique', 'The name is taken.')
    if (others.some(({ row }) => row.path === definition.path)) add('path', 'not_unique', 'The path is taken.')
    if (problems.length > 0) throw platformError('conflict', { fieldErrors: problems })
  }

  const store = async (
    ctx: RequestContext,
    action: 'created' | 'updated',
    row: ReceiverRow,
  ): Promise<StoredReceiver> => {
    await write('webhooks.receiver', (tx) => {
      putReceiver(tx, row)
      tx.emit(ctx, { type: `webhooks.receiver_${action}`, payload: { id: row.id, name: row.name } })
      tx.afterCommit(reload)
    })
    return all.find((one) => one.row.id === row.id)!
  }

  const show = async (receiver: StoredReceiver): Promise<Receiver> => {
    const { row, definition } = receiver
    const stopped = standingOf(receiver)
    const masked = Object.entries(await paramsOf(row)).map(([name, value]) => [
      name,
      secretParams.has(name) ? maskedSecret : value,
    ])
    const open = 'Anybody who knows the address may call the receiver; verify the caller, or keep it secret.'
    return {
      ...definition,
      id: row.id,
      verificationParams: Object.fromEntries(masked) as Record<string, unknown>,
      url: parts.urlOf(row.path),
      createdBy: row.created_by,
      createdAt: new Date(row.created_at).toISOString(),
      updatedAt: new Date(row.updated_at).toISOString(),
      ...(definition.verificationType === 'none' ? { warnings: [open] } : {}),
      ...(typeof stopped === 'string' ? { stopped } : {}),
    }
  }

  return {
    /** The receiver that is called under a path and is on. */
    at: (path: string): StoredReceiver | undefined =>
      all.find(({ row, definition }) => row.path === path && definition.isActive),

    standingOf,

    /** Switches off what speaks for a user. */
    switchOff(tx: Tx, userId: string): void {
      for (const { row, definition } of all)
        if (row.saved_by === userId)
          putReceiver(tx, {
            ...row,
            definition: JSON.stringify({ ...definition, isActive: false }),
            updated_at: clock.now(),
          })
      tx.afterCommit(reload)
    },

    async verificationOf({ row, definition }: StoredReceiver): Promise<Verification> {
      return { type: definition.verificationType, params: await paramsOf(row) } as unknown as Verification
    },

    async list(ctx: RequestContext, query: PageQuery) {
      requireOpenRecords(parts.authorizer(), ctx)
      const seen = all.filter((one) => isSeen(ctx, one))
      const binding = ['receivers', ctx.organizationId]
      const { shown, ...page } = pageOf(seen, query, standardBounds, ({ row }) => row.name, binding)
      return { receivers: await Promise.all(shown.map(show)), total: seen.length, ...page }
    },

    get: async (ctx: RequestContext, name: string): Promise<Receiver> => show(require(ctx, name)),

    async create(ctx: RequestContext, input: ReceiverInput): Promise<Receiver> {
      requireOpenRecords(parts.authorizer(), ctx)
      if (all.length >= maxReceivers)
        throw platformError('conflict', { reason: 'too_many_receivers', limit: maxReceivers })
      const { verificationParams, ...definition } = input
      requireOwnRights(ctx, definition)
      check('', definition, ctx)
      const { params } = readVerification(input.verificationType, verificationParams)
      const now = clock.now()
      const row: ReceiverRow = {
        id: ids.uuid(),
        name: input.name,
        path: input.path,
        organization_id: ctx.organizationId,
        definition: JSON.stringify(definition),
        params: await parts.secrets.seal(JSON.stringify(params)),
        created_by: ctx.actor.id,
        created_at: now,
        updated_at: now,
        saved_by: ctx.actor.id,
      }
      return show(await store(ctx, 'created', row))
    },

    async update(ctx: RequestContext, name: string, patch: z.output<typeof ReceiverPatch>): Promise<Receiver> {
      const before = require(ctx, name)
      const { verificationParams, name: newName, ...rest } = patch
      refuseName(before.row.name, newName)
      const merged = Object.entries({ ...before.definition, ...rest }).filter(
        ([, value]) => value !== undefined && value !== null,
      )
      const definition = Object.fromEntries(merged) as unknown as StoredReceiver['definition']
      const held = await paramsOf(before.row)
      const keepsType = definition.verificationType === before.definition.verificationType
      const given = verificationParams ?? (keepsType ? held : {})
      const filled = Object.entries(given).map(([key, value]) => [key, value === maskedSecret ? held[key] : value])
      const { params } = readVerification(
        definition.verificationType,
        Object.fromEntries(filled) as Record<string, unknown>,
      )
      // Whoever says what it does, and for whom, answers for it.
      const isTaken =
        !isDeepStrictEqual(doneBy(before.definition), doneBy(definition)) ||
        !isDeepStrictEqual(params, held) ||
        // Whoever switches on what is stopped takes it on.
        (patch.isActive === true && typeof standingOf(before) === 'string')
      if (isTaken) requireOwnRights(ctx, definition)
      check(before.row.id, definition, isTaken ? ctx : undefined)
      const row: ReceiverRow = {
        ...before.row,
        path: definition.path,
        definition: JSON.stringify(definition),
        params: await parts.secrets.seal(JSON.stringify(params)),
        updated_at: clock.now(),
        saved_by: isTaken ? ctx.actor.id : before.row.saved_by,
      }
      return show(await store(ctx, 'updated', row))
    },

    async remove(ctx: RequestContext, name: string): Promise<{ id: string; name: string; success: true }> {
      const { row } = require(ctx, name)
      await write('webhooks.receiver', (tx) => {
        deleteReceiver(tx, row.id)
        tx.emit(ctx, { type: 'webhooks.receiver_deleted', payload: { id: row.id, name: row.name } })
        tx.afterCommit(reload)
      })
      return { id: row.id, name: row.name, success: true }
    },
  }
}

function doneBy(definition: StoredReceiver['definition']): unknown[] {
  const { path, verificationType, action, target, object, mapping, externalIdField } = definition
  return [path, verificationType, action, target, object, mapping, externalIdField]
}
