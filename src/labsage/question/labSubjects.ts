/** What a laboratory question can be about: analytes, specimens and patients by name; data, no code. */

/** Tests, analytes, drugs and instruments. An SOP of one says nothing of another. Compared by their stems. */
export const ANALYTES = `
sodium potassium chloride bicarbonate calcium magnesium phosphate phosphorus iron ferritin transferrin zinc copper
aluminum selenium glucose lactate pyruvate ammonia urea creatinine cystatin urate osmolality bilirubin albumin prealbumin
globulin cholesterol triglycerides lipoprotein amylase lipase ceruloplasmin haptoglobin homocysteine troponin myoglobin bnp
nt-probnp ck-mb procalcitonin crp cortisol tsh thyroxine prolactin estradiol progesterone testosterone insulin
c-peptide pth vitamin folate b12 hcg psa cea afp ca-125 hba1c ldh alt ast ggt alp ck digoxin phenytoin lithium valproate
carbamazepine phenobarbital theophylline methotrexate tacrolimus cyclosporine sirolimus everolimus vancomycin gentamicin
tobramycin amikacin teicoplanin linezolid acetaminophen salicylate ethanol opiates amphetamine cocaine
benzodiazepines cannabinoids cbc wbc rbc hemoglobin hematocrit platelet mcv mchc rdw reticulocyte nrbc differential esr
viscosity malaria babesia thalassemia g6pd hbf hba2 inr aptt fibrinogen d-dimer antithrombin anti-xa
thrombin reptilase plasminogen aggregometry pfa-100 willebrand antiphospholipid ddavp protein-c protein-s urinalysis
microalbumin catecholamines metanephrines porphyrins influenza covid strep hiv hepatitis syphilis
rubella ebv cmv ana anca rheumatoid igg iga igm ige electrophoresis immunofixation bence-jones allergen
crossmatch blood-group coombs semen calprotectin elastase
cobas alinity architect vitros dxh advia acl beckman roche abbott immulite cellavision ruby
`
  .trim()
  .split(/\s+/u);

/** One thing that a question can name, and what names it in a text. */
export interface Subject {
  readonly asked: readonly string[];
  readonly answered: readonly string[];
}

const same = (...words: string[]): Subject => ({ asked: words, answered: words });

export const SPECIMENS: readonly Subject[] = [
  same('serum'),
  same('plasma'),
  same('urine'),
  same('CSF', 'cerebrospinal', 'spinal fluid'),
  same('capillary', 'fingerstick'),
  same('synovial', 'joint fluid'),
  same('pleural'),
  same('ascites', 'peritoneal', 'ascitic'),
  same('dialysate'),
  same('saliva'),
  same('sweat'),
  same('stool', 'feces'),
  same('cord blood'),
  same('24-hour', '24 h', '24 hour', '24h'),
];

export const PATIENTS: readonly Subject[] = [
  {
    asked: ['newborn', 'neonate', 'neonatal', 'days old'],
    answered: ['newborn', 'neonate', 'neonatal', 'days', 'day'],
  },
  { asked: ['infant', 'baby'], answered: ['infant', 'newborn', 'baby', 'months', 'days'] },
  {
    asked: ['child', 'kid', 'pediatric', 'toddler'],
    answered: ['child', 'pediatric', 'years', 'newborn', 'months'],
  },
  { asked: ['women', 'woman'], answered: ['women', 'woman', 'female', 'f'] },
  { asked: ['men', 'man'], answered: ['men', 'man', 'male', 'm'] },
  same('pregnant', 'pregnancy', 'trimester'),
  same('dialysis'),
];

/** Details that either stand in the words or do not: what asks for one, and what it looks like. */
export const DETAILS: readonly { readonly asked: RegExp; readonly answered: RegExp }[] = [
  {
    asked:
      /\b(?:phone|telephone|pager|fax) (?:number|no)\b|\bextension\b|\bnumber (?:of|for) (?:the|our|dr)\b/iu,
    answered: /\b(?:ext|extension|tel|phone|pager)\b[^.\n]{0,20}\d{3,}|\d{3}[- ]\d{3,4}/iu,
  },
  { asked: /\b(?:price|cost|costs|how expensive|charge)\b/iu, answered: /[$€£]\s?\d|\b(?:USD|EUR|GBP)\b/u },
  { asked: /\be-?mail\b/iu, answered: /\S@\S/u },
  { asked: /\bpassword\b/iu, answered: /\bpassword\b/iu },
  {
    asked:
      /\b(?:manufacturer|who (?:makes|sells|supplies)|vendor|supplier|which (?:company|brand|make|maker))\b/iu,
    answered:
      /\b(?:manufacturer|supplier|Siemens|Sysmex|Bio-Rad|Roche|Abbott|Beckman|Streck|Sarstedt|Greiner|Eppendorf|Inc|Ltd|GmbH)\b/u,
  },
  {
    asked: /\b(?:catalog(?:ue)?|part|order|model|serial) (?:number|no)\b/iu,
    answered: /\b[A-Z]{0,4}-?\d{4,}\b/u,
  },
  { asked: /\bhow many years\b/iu, answered: /\b(?:\d+|one|two|three|five|ten) years?\b/iu },
  {
    asked: /\b(?:how fast|what speed|which speed|rpm)\b/iu,
    answered: /\brpm\b|[x×] ?g\b|\bper (?:second|minute|hour)\b|\/(?:h|min|s)\b/iu,
  },
  {
    asked: /\b(?:how heavy|weigh|dimensions|bench space|how loud)\b/iu,
    answered: /\b\d+ ?(?:kg|lb|cm|dB)\b/u,
  },
  { asked: /\bhow many (?:[µuμm]?L|ml|ul)\b|\bwhat volume\b/iu, answered: /\d\s*(?:m|µ|μ|u|d)?L\b/u },
];
