// Owns reading how a form lays out fields, stored by a person or worked out by the host. Pure. @source D-114, D-115

/** A group of fields under a heading. */
export interface FormSection {
  name: string
  label: string
  collapsed: boolean
  fields: FormField[]
}

/** A field of a form. */
export interface FormField {
  field: string
  label: string | undefined
  readonly: boolean
  /** Takes the whole width. */
  wide: boolean
}

/** The sections of a form view; what is not understood is left out. */
export function readSections(view: Readonly<Record<string, unknown>>): FormSection[] {
  const sections = Array.isArray(view['sections']) ? (view['sections'] as unknown[]) : []
  return sections.flatMap((section, at) => {
    if (!isMap(section)) return []
    const fields = Array.isArray(section['fields']) ? (section['fields'] as unknown[]).flatMap(readField) : []
    if (fields.length === 0) return []
    const name = textOr(section['name'], `section-${at}`)
    return [{ name, label: textOr(section['label'], name), collapsed: section['collapsed'] === true, fields }]
  })
}

function readField(entry: unknown): FormField[] {
  if (typeof entry === 'string') return [{ field: entry, label: undefined, readonly: false, wide: false }]
  if (!isMap(entry) || typeof entry['field'] !== 'string') return []
  if (entry['hidden'] === true) return []
  const { label } = entry
  return [
    {
      field: entry['field'],
      label: typeof label === 'string' ? label : undefined,
      readonly: entry['readonly'] === true,
      wide: Number(entry['colSpan'] ?? 1) > 1,
    },
  ]
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}
