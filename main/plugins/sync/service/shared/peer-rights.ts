// Whether the person of a machine may edit a text that is open here: judged as what that machine writes is judged. Knows no
// link and no room.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { JudgedPerson } from '../../engine/create-engine.ts'
import type { Devices, KnownDevice } from '../../engine/replica.ts'

/** What the rights are found with. */
export interface PeerRightsParts {
  readonly devices: Devices
  readonly data: Pick<DataService, 'reach'>
  authorizer(): Authorizer
  schemas(): readonly ObjectSchema[]
  personOf(author: string, device: KnownDevice | undefined): JudgedPerson
}

/** Makes the judge: whether a device's person may edit a text, by the name of its document. */
export function createPeerRights(parts: PeerRightsParts): (doc: string, device: string) => boolean {
  const { devices, data } = parts
  return (doc, device) => {
    const known = devices.find(device)
    const name = parseDocName(doc)
    if (known === undefined || known.isRevoked || name?.kind !== 'text') return false
    const person = parts.personOf(known.user, known)
    if (person === undefined || typeof person === 'string') return person === undefined
    const schema = parts.schemas().find(({ uid }) => uid === name.object)
    const field = schema?.fields.find(({ uid }) => uid === name.field)
    if (schema === undefined || field === undefined) return false
    const may = (access: 'readable' | 'editable'): boolean =>
      parts.authorizer().canField(person, schema.name, field.name, access)
    if (!may('readable') || !may('editable')) return false
    return data.reach(person, { object: schema.name, id: name.record, action: 'edit' }) === 'open'
  }
}
