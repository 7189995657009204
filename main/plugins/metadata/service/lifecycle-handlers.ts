// Handlers of overlays, effective items, states, drafts and older versions: requests in, service calls, answers out.
import type { z } from 'zod'
import type { Overlay, OverlayChange, metadataLifecycleRoutes } from '#shared/contracts/metadata-lifecycle.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { OverlayRecord, SaveItemResult } from '../api.ts'
import type { MetadataCore } from '../service.ts'
import { typeOfSegment } from '../operations/type-words.ts'
import { findMetadataType } from '../types/type-entries.ts'
import { refusal } from './check-input.ts'
import type { StatedChange } from './overlay-changes.ts'
import type { OverlayKey } from './merge-overlay.ts'
import type { QueryText } from './query-parameters.ts'
import { languageOf, lastText, parseFlag, parseStates } from './query-parameters.ts'

type Params = { readonly type: string; readonly name: string }

/** Makes the handlers. */
export function lifecycleHandlers(
  service: MetadataCore,
  authorizer: () => Authorizer,
): Handlers<typeof metadataLifecycleRoutes> {
  return {
    getMetadataOverlay(ctx, { params, query }) {
      const overlay = service.overlay(ctx, keyOf(params, query.scope))
      return overlay === null ? null : toOverlay(overlay)
    },
    async putMetadataOverlay(ctx, { params, query, body }) {
      const key = keyOf(params, query.scope ?? body?.scope)
      if (body === undefined) throw refusal('patch', 'required', 'The patch is required.')
      requireSameBase(body, key)
      const { patch, active, changes } = body
      const overlay = await service.putOverlay(ctx, {
        ...key,
        patch,
        confirm: lastText(query.confirm),
        active,
        changes: changes?.map(statedChange),
      })
      return toOverlay(overlay)
    },
    async deleteMetadataOverlay(ctx, { params, query }) {
      const key = keyOf(params, query.scope)
      const removed = await service.removeOverlay(ctx, { ...key, confirm: lastText(query.confirm) })
      return { ...key, removed }
    },
    getEffectiveMetadata(ctx, { params, query, headers }) {
      const userId = lastText(query.userId)
      if (userId !== undefined && userId !== ctx.actor.id) {
        requireSystemPermission(authorizer(), ctx, 'manage_metadata')
      }
      const wanted = { userId, state: parseStates(query.state), ...languageOf(query, headers) }
      const { body } = service.visible(ctx, typeOfSegment(params.type), params.name, wanted)
      return { ...body }
    },
    getMetadataLayers(ctx, { params }) {
      const { base, extensions, platform, user, effective } = service.layers(
        ctx,
        typeOfSegment(params.type),
        params.name,
      )
      return {
        base: { ...base },
        ...(extensions === undefined
          ? {}
          : { extensions: extensions.map(({ name, item }) => ({ name, item: { ...item } })) }),
        ...(platform === undefined ? {} : { platform: { ...platform } }),
        ...(user === undefined ? {} : { user: { ...user } }),
        effective: { ...effective },
      }
    },
    async setMetadataState(ctx, { params, query, body }) {
      if (body === undefined) throw refusal('state', 'required', 'The state is required.')
      const item = itemOf(params)
      const confirm = lastText(query.confirm)
      return toResult(item, await service.changeState(ctx, { ...item, state: body.state, confirm }))
    },
    async publishMetadataItem(ctx, { params, query }) {
      const item = itemOf(params)
      const force = parseFlag('force', query.force)
      return toResult(item, await service.publish(ctx, { ...item, force, confirm: lastText(query.confirm) }))
    },
    async discardMetadataDraft(ctx, { params }) {
      const item = itemOf(params)
      const result = await service.discardDraft(ctx, item)
      return { ...toResult(item, result), ...(result.deleted ? { deleted: true as const } : {}) }
    },
    async revertMetadataItem(ctx, { params, query, body, headers }) {
      if (body === undefined) throw refusal('version', 'required', 'The version is required.')
      const item = itemOf(params)
      const dryRun = parseFlag('dryRun', query.dryRun)
      const result = await service.revert(ctx, {
        ...item,
        version: body.version,
        dryRun,
        confirm: lastText(query.confirm),
        ifMatch: headers['if-match'],
      })
      return { ...toResult(item, result), ...(dryRun ? { dryRun: true as const } : {}) }
    },
  }
}

/** @throws resource_not_found for an unknown type */
function itemOf({ type, name }: Params) {
  return { type: typeOfSegment(type), name }
}

function keyOf(params: Params, value: QueryText): OverlayKey {
  const scope = lastText(value) ?? 'platform'
  if (scope === 'platform' || scope === 'user') return { ...itemOf(params), scope }
  const known = ['platform', 'user']
  throw refusal('scope', 'invalid_option', 'An overlay is the platform’s or a user’s.', {
    value: scope,
    constraint: known,
  })
}

/** @throws validation_error when the record names another overlay than the path */
function requireSameBase(
  body: { baseType?: string | undefined; baseName?: string | undefined; scope?: string | undefined },
  { type, name, scope }: OverlayKey,
): void {
  const { baseType, baseName } = body
  const problems: FieldError[] = []
  const refuse = (field: string, value: unknown) =>
    problems.push({ field, code: 'not_allowed', message: 'The record is of another overlay than the path.', value })
  if (baseType !== undefined && findMetadataType(baseType) !== type) refuse('baseType', baseType)
  if (baseName !== undefined && baseName !== name) refuse('baseName', baseName)
  if (body.scope !== undefined && body.scope !== scope) refuse('scope', body.scope)
  if (problems.length > 0) throw validationError(problems)
}

function statedChange({ path, originalValue, currentValue = null }: z.output<typeof OverlayChange>): StatedChange {
  return { path, originalValue, currentValue }
}

function toOverlay({ packageId, owner, patch, changes, ...rest }: OverlayRecord): z.input<typeof Overlay> {
  return {
    ...rest,
    ...(packageId === null ? {} : { packageId }),
    ...(owner === null ? {} : { owner }),
    patch: { ...patch },
    changes: changes.map((change) => ({ ...change })),
  }
}

function toResult(item: ReturnType<typeof itemOf>, { version, state, plan, planHash }: SaveItemResult) {
  return {
    ...item,
    version,
    state,
    ...(plan.length === 0 ? {} : { plan: [...plan] }),
    ...(planHash === undefined ? {} : { planHash }),
  }
}
