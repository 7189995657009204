// Tells the text of a secret field to whoever may change the record, and remembers that it was looked at (D-94).
import { platformError, validationError } from '#shared/errors.ts'
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import type { DataService } from '../api.ts'
import { codecOf } from './codec.ts'
import type { WriteParts } from './write-parts.ts'
import { requireRow, requireRowFor } from './write-parts.ts'

/** Makes the operation. */
export function createReveal(parts: WriteParts): Pick<DataService, 'reveal'> {
  return {
    async reveal(ctx, { object, id, field: name }) {
      parts.schemaFor(ctx, object, 'read')
      const schema = parts.schemaFor(ctx, object, 'edit')
      const env = parts.envFor(ctx, schema)
      const field = codecOf(schema).sealed.find((candidate) => candidate.name === name)
      if (field === undefined || declaredTypeOf(field).concealed !== 'encrypted' || env.canRead?.(name) === false) {
        const message = 'The object has no secret field of this name.'
        throw validationError([{ field: 'field', code: 'unknown_field', message, value: name }])
      }
      if (env.canEdit !== undefined && !env.canEdit(name)) throw platformError('permission_denied', { fields: [name] })
      const row = requireRowFor(parts, parts.read, ctx, schema, { id, action: 'edit' })
      const sealed = row[field.column]
      const value = typeof sealed === 'string' ? await openSealed(parts.secrets, sealed) : null
      const recordId = row['id'] as string
      // The event is stored before the text is told: nobody looks unseen.
      const tell = (tx: Tx): void => {
        requireRow(tx, schema, recordId)
        tx.emit(ctx, { type: 'record.secret_revealed', object: schema.name, recordId, payload: { field: name } })
      }
      await parts.write('data.reveal', tell, { whenFull: true })
      return { object: schema.name, id: recordId, field: name, value }
    },
  }
}

/** @throws service_unavailable when the store has lost the key: the data came from another machine */
async function openSealed(secrets: SecretStore, sealed: string): Promise<string> {
  try {
    return await secrets.open(sealed)
  } catch (error) {
    throw platformError('service_unavailable', { reason: 'secret_store' }, error)
  }
}
