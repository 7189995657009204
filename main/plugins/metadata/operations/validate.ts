// Checking an item without storing it (D-108): what a save would refuse or warn about, and the plan of an object.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { missingMessages } from '#shared/rules/required-messages.ts'
import type { MetadataCore } from '../service.ts'
import { checkBody } from '../service/check-input.ts'
import { checkItem } from '../types/check-item.ts'
import { findMetadataType } from '../types/type-entries.ts'
import type { Answer, RequestBody } from './contract-forms.ts'
import { toStep } from './contract-forms.ts'
import { unknownType } from './type-words.ts'

/** Checks an item as a save would; `valid` says whether one would go through. @throws permission_denied and what is no fault of the item */
export async function validateItem(
  service: MetadataCore,
  ctx: RequestContext,
  request: RequestBody<'validateMetadata'>,
): Promise<Answer<'validateMetadata'>> {
  const { data } = request
  const type = findMetadataType(request.type)
  if (type === undefined) return invalid([unknownType('type', request.type)])
  const name = Object.hasOwn(data, 'name') ? data['name'] : undefined
  if (typeof name !== 'string') {
    const problem: FieldError =
      name === undefined
        ? { field: 'name', code: 'required', message: 'A value is required.' }
        : { field: 'name', code: 'invalid_type', message: 'A name is text.' }
    return invalid([problem, ...problemsBeside(type, data)])
  }
  try {
    const { warnings, plan } = await service.save(ctx, { type, name, item: { ...data }, dryRun: true })
    return {
      valid: true,
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
      ...(plan.length === 0 ? {} : { plan: plan.map(toStep) }),
    }
  } catch (error) {
    const problems = problemsOf(error)
    if (problems === null) throw error
    return invalid(problems)
  }
}

/** The problems of the shape of an item that cannot be saved for want of a name. */
function problemsBeside(type: MetadataType, data: Readonly<Record<string, unknown>>): readonly FieldError[] {
  const { name: _name, ...item } = data
  const unsafe = checkBody(item)
  if (unsafe.length > 0 || type === 'field') return unsafe
  return [...checkItem(type, item).errors, ...missingMessages(type, item)].filter(({ field }) => field !== 'name')
}

function invalid(problems: readonly FieldError[]): Answer<'validateMetadata'> {
  return { valid: false, errors: problems.map(({ field, message, code }) => ({ path: field, message, code })) }
}

/** The problems a refused save names; null when the refusal is not about the item. */
function problemsOf(error: unknown): readonly FieldError[] | null {
  if (!(error instanceof PlatformError)) return null
  const { fieldErrors } = error.details
  if (Array.isArray(fieldErrors)) return fieldErrors as FieldError[]
  if (error.code !== 'resource_not_found') return null
  return [{ field: 'name', code: 'invalid_reference', message: error.message }]
}
