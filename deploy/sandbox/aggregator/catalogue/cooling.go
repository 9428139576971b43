package catalogue

func coolers() []draft { return named(append(airCoolers(), liquidCoolers()...)) }

func airCoolers() []priced {
	return []priced{
		{"Noctua NH-D15", 449}, {"Noctua NH-D15 G2", 659}, {"Noctua NH-D15 chromax.black", 499}, {"Noctua NH-U12A", 479},
		{"Noctua NH-U12S redux", 229}, {"Noctua NH-L9i", 219}, {"Arctic Freezer 36", 99},
		{"be quiet! Pure Rock 3", 149}, {"be quiet! Dark Rock Pro 5", 399}, {"be quiet! Dark Rock 5", 279},
		{"Arctic Freezer 36 A-RGB", 129}, {"Endorfy Fera 5", 139}, {"Endorfy Fera 5 Dual Fan", 169},
		{"Endorfy Fortis 5", 179}, {"Endorfy Fortis 5 Dual Fan", 209}, {"Endorfy Spartan 5 MAX", 99},
		{"Thermalright Peerless Assassin 120 SE", 159}, {"Thermalright Phantom Spirit 120 SE", 179},
		{"DeepCool AK400", 129}, {"DeepCool AK620", 239}, {"DeepCool Assassin IV", 399}, {"Scythe Fuma 3", 229},
		{"Cooler Master Hyper 212 Black", 149}, {"Noctua NF-A12x25 PWM", 139}, {"Arctic P12 PWM PST", 35},
	}
}

func liquidCoolers() []priced {
	return []priced{
		{"Arctic Liquid Freezer III 240", 349}, {"Arctic Liquid Freezer III 280", 389},
		{"Arctic Liquid Freezer III 360", 429}, {"Arctic Liquid Freezer III 420", 469}, {"Endorfy Navis F240", 279},
		{"Endorfy Navis F280", 309}, {"Endorfy Navis F360", 349}, {"Corsair Nautilus 360 RS", 499},
		{"NZXT Kraken 240", 499}, {"NZXT Kraken 360", 649}, {"NZXT Kraken Elite 360 RGB", 1099},
		{"DeepCool LS520 SE", 379}, {"DeepCool LS720", 499}, {"MSI MAG CoreLiquid A13 360", 459},
		{"Lian Li Galahad II Trinity 360", 599}, {"ASUS ROG Ryujin III 360", 1399},
	}
}
