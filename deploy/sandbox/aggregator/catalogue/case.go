package catalogue

// cases come in the colours of their line.
func cases() []draft {
	var models []priced
	for _, model := range caseModels() {
		for _, colour := range []string{"Black", "White"} {
			models = append(models, priced{model.name + " " + colour, model.zlotys})
		}
	}
	return named(models)
}

func caseModels() []priced {
	return []priced{
		{"Fractal Design North", 599}, {"Fractal Design North XL", 749}, {"Fractal Design Pop Air", 359},
		{"Fractal Design Meshify 2", 599}, {"Fractal Design Define 7", 699}, {"NZXT H5 Flow", 379}, {"NZXT H6 Flow", 469},
		{"NZXT H7 Flow", 549}, {"NZXT H9 Flow", 799}, {"Lian Li O11 Dynamic EVO", 699}, {"Lian Li Lancool 216", 429},
		{"Lian Li Lancool 207", 359}, {"Corsair 4000D Airflow", 399}, {"Corsair 3500X", 419},
		{"Endorfy Signum 300 ARGB", 349}, {"Endorfy Ventum 200", 259}, {"Endorfy Arx 500 ARGB", 429},
		{"Endorfy Arx 700 ARGB", 519}, {"Phanteks Eclipse G360A", 429}, {"Phanteks XT Pro", 269}, {"Krux Vortex", 229},
		{"be quiet! Pure Base 500DX", 449}, {"be quiet! Shadow Base 800 FX", 699}, {"be quiet! Silent Base 802", 659},
		{"MSI MAG Forge 112R", 249}, {"Genesis Irid 503 ARGB", 239}, {"Cooler Master TD500 Mesh V2", 449},
	}
}
