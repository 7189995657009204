// Owns the German words of the area field-types.
import type { fieldTypeStrings } from '../en/field-types.ts'

/** The German words of {@link fieldTypeStrings}. */
export const fieldTypeGerman: Record<keyof typeof fieldTypeStrings, string> = {
  'typeGroup.text': 'Text',
  'typeGroup.number': 'Zahlen',
  'typeGroup.choice': 'Auswahl',
  'typeGroup.date': 'Datum und Zeit',
  'typeGroup.relation': 'Beziehungen',
  'typeGroup.computed': 'Berechnet',
  'typeGroup.structure': 'Strukturiert',
  'typeGroup.file': 'Dateien',
  'typeGroup.other': 'Besonderes',
}
