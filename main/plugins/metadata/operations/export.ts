// Exporting items (D-108): what leaves is what an import takes, without what the server alone gives (uids).
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { MetadataItem } from '../api.ts'
import type { MetadataCore } from '../service.ts'
import { withoutUids } from '../service/uids.ts'
import type { Answer, RequestBody } from './contract-forms.ts'
import { typesOfWords } from './type-words.ts'

type ExportAnswer = Answer<'exportMetadata'>
type ExportContent = Exclude<ExportAnswer['content'], string>

/** Collects what the caller may see, in the order types load. @throws validation_error for a type nobody knows */
export function exportItems(
  service: MetadataCore,
  ctx: RequestContext,
  { types, namespaces, packageId, includeOverlays }: RequestBody<'exportMetadata'>,
  exportedAt: string,
): ExportContent {
  const wanted = typesOfWords('types', types)
  const fits = (item: MetadataItem): boolean =>
    (packageId === undefined || item.packageId === packageId) &&
    (namespaces === undefined || (item.namespace !== null && namespaces.includes(item.namespace))) &&
    service.seen(ctx, item) !== null
  const chosen = metadataTypes
    // Fields leave with their objects; asked for by name, they leave alone.
    .filter((type) => (wanted === undefined ? type !== 'field' : wanted.has(type)))
    .flatMap((type) => service.storedItems(type).filter(fits))
  return {
    formatVersion: '1',
    exportedAt,
    items: chosen.map(({ type, name, namespace, state, item }) => ({
      type,
      name,
      ...(namespace === null ? {} : { namespace }),
      state,
      item: withoutUids(type, item),
    })),
    overlays: includeOverlays ? service.exportOverlays(ctx, chosen) : [],
  }
}

/** The enveloped answer: an object for json, a text for yaml. */
export async function exportAnswer(content: ExportContent, format: 'json' | 'yaml'): Promise<ExportAnswer> {
  return { format, content: format === 'json' ? content : await toYaml(content), count: content.items.length }
}

/** The YAML document as a file. */
export async function exportFile(content: ExportContent): Promise<Reply<ByteStream>> {
  return new Reply(new ByteStream(await toYaml(content), 'application/yaml; charset=utf-8'), {
    headers: { 'content-disposition': 'attachment; filename="metadata.yaml"' },
  })
}

async function toYaml(content: ExportContent): Promise<string> {
  // Loaded with the first text: seventy modules no start needs.
  const { stringify } = await import('yaml')
  return stringify(content, { schema: 'core', aliasDuplicateObjects: false, lineWidth: 0 })
}
